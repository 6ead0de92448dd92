// xxl_tables GENERATION: the statements that make XXL-JOB's tables of a generation (4 to 8), each ending with a semicolon and a
// line end: for tests that are not written in C++.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/storage/xxl_schemas.hpp"

int main(int count, char** words) {
  using namespace ringmaster::test;
  const int generation = count == 2 ? std::atoi(words[1]) : 0;
  if (std::find(xxl_generations.begin(), xxl_generations.end(), generation) == xxl_generations.end()) {
    std::fprintf(stderr, "usage: xxl_tables 4|5|6|7|8\n");
    return 2;
  }
  for (const auto& statement : xxl_schema(generation))
    std::printf("%s;\n", statement.c_str());
  return std::fflush(stdout) == 0 ? 0 : 1;
}
