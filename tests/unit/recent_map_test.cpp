#include "core/limits/recent_map.hpp"

#include <string>

#include "tests/support/catch.hpp"

using ringmaster::core::recent_map;

TEST_CASE("recent_map: keeps values, and at most so many", "[core]") {
  recent_map<std::string, int> map{3};
  map.use("a", 1) = 7;
  CHECK(map.use("a", 1) == 7);
  CHECK(map.find("b") == nullptr);
  for (int i = 0; i < 100; ++i)
    map.use(std::to_string(i), i);
  CHECK(map.size() == 3);
  REQUIRE(map.find("a"));
  CHECK(*map.find("a") == 7);
  CHECK(map.find("99"));
  CHECK(map.find("98"));
  CHECK_FALSE(map.find("97"));
}

TEST_CASE("recent_map: forgets the key that was used longest ago", "[core]") {
  recent_map<int, int> map{4};
  for (const int key : {1, 2, 3, 4})
    map.use(key, 0);
  map.use(5, 0);
  CHECK_FALSE(map.find(1));
  map.use(2, 0);
  map.use(6, 0);
  CHECK_FALSE(map.find(3));
  CHECK(map.find(2));
}

TEST_CASE("recent_map: keys that were used again leave half of the room to new ones", "[core]") {
  recent_map<int, int> map{4};
  for (const int key : {1, 2, 3, 4})
    for (int times = 0; times < 2; ++times)
      map.use(key, 0);
  map.use(5, 0);
  CHECK_FALSE(map.find(1)); // 3 and 4 are remembered
  map.use(6, 0);
  map.use(7, 0);
  CHECK_FALSE(map.find(2));
  CHECK_FALSE(map.find(5));
  for (const int key : {3, 4, 6, 7})
    CHECK(map.find(key));
}

TEST_CASE("recent_map: holds one key, and moves", "[core]") {
  recent_map<int, int> map{1};
  for (const int key : {1, 1, 2, 2, 3})
    map.use(key, key);
  CHECK(map.size() == 1);
  auto moved = std::move(map);
  REQUIRE(moved.find(3));
  moved.use(4, 4);
  CHECK_FALSE(moved.find(3));
}
