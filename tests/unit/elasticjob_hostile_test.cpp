// Mistakes in files of ElasticJob, and files that are no configuration at all.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "config/elasticjob/elasticjob_import.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::config;

namespace {

std::string import_refusal(const std::string& text, const std::string& group = "pay") {
  const std::vector<declared_document> files{{"f", text}};
  const auto done = import_elasticjob(files, group, core::from_ms(1'767'225'600'000));
  if (done)
    return "accepted";
  CHECK(done.error().code == core::errc::invalid_argument);
  return done.error().context;
}

std::string in_spring(const std::string& elements) {
  return "<beans xmlns:elasticjob=\"http://shardingsphere.apache.org/schema/elasticjob\">\n" + elements + "\n</beans>\n";
}

std::string text_times(std::string_view text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i)
    out += text;
  return out;
}

const std::string small_stored = "jobName: a\nshardingTotalCount: 1\n";

} // namespace

TEST_CASE("import: a mistake has its line", "[config][elastic][import]") {
  CHECK(import_refusal(small_stored + "cron: 98 * * * * ?\n")
          .starts_with("f:3: job 'a': cron: invalid cron expression \"98 * * * * ?\""));
  CHECK(import_refusal(small_stored + "shardingItemParameter: 0=a\n")
        == "f:3: unknown key 'shardingItemParameter'; did you mean 'shardingItemParameters'?");
  CHECK(import_refusal(small_stored + "misfire: maybe\n") == "f:3: job 'a': misfire: \"maybe\" is not true or false");
  CHECK(import_refusal(small_stored + "misfire: true\nshardingItemParameters: 0=a,x=b\n")
          .starts_with("f:4: job 'a': shardingItemParameters: invalid item parameters: part 2 \"x=b\" has a key"));
  CHECK(import_refusal(small_stored + "misfire: true\nmisfire: false\n") == "f:4: 'misfire' is given twice");
  CHECK(import_refusal("jobName: a\nshardingTotalCount: x\nshardingItemParameters: 0=a,1=b\n")
        == "f:2: job 'a': shardingTotalCount: \"x\" is not a whole number");
  CHECK(import_refusal("jobName: a\n") == "f:1: job 'a': shardingTotalCount: missing; it is required");
  for (const std::string total : {"0", "-1", "100001"})
    CHECK(import_refusal("jobName: a\nshardingTotalCount: " + total + '\n')
          == "f:2: job 'a': shardingTotalCount: invalid number of items " + total + ": a job has 1 to 100000 items");
  CHECK(import_refusal("jobName: a/b\nshardingTotalCount: 1\n") == "f:1: job 'a/b': name: must not be empty or contain /");
  for (const std::string cron : {"0 0 0 30 2 ?", "0/5 * * * * ? 2020"}) {
    CHECK(import_refusal(small_stored + "cron: " + cron + '\n')
          == "f:3: job 'a': cron: \"" + cron + "\" never fires (again); disable the job to keep it");
    CHECK(import_refusal(small_stored + "cron: " + cron + "\ndisabled: true\n") == "accepted");
  }
  CHECK(import_refusal(small_stored, std::string(64, 'g')) == "accepted");
  CHECK(import_refusal(small_stored, std::string(65, 'g')) == "--group: longer than 64 characters");
  CHECK(import_refusal(small_stored, "") == "f:1: job 'a' has no namespace that names its group; give --group");
  CHECK(import_refusal(small_stored + "---\n" + small_stored) == "f:4: job 'a' is there twice, first at f:1");
}

TEST_CASE("import: a mistake in settings of Spring Boot has its line", "[config][elastic][import]") {
  const std::string job = "elasticjob.jobs.a.elasticJobClass=C\nelasticjob.jobs.a.shardingTotalCount=1\n";
  CHECK(import_refusal(job) == "accepted");
  CHECK(import_refusal(job + "elasticjob.jobs.a.cronn=x\n") == "f:3: unknown key 'cronn'; did you mean 'cron'?");
  CHECK(import_refusal(job + "elasticjob.wrong=x\n") == "f:3: unknown key 'elasticjob.wrong'");
  CHECK(import_refusal(job + "elasticjob.jobs.a=x\n") == "f:3: expected the options of a job below 'a'");
  CHECK(import_refusal(job + "elasticjob.jobs.a.elasticJobType=HTTP\n")
        == "f:1: job 'a': elasticJobClass: excludes a type; a job has a class or a type");
  CHECK(import_refusal("elasticjob.jobs.a.shardingTotalCount=1\n")
        == "f:1: job 'a': elasticJobClass: missing; a job has a class or a type");
  CHECK(import_refusal(job + "elasticjob.jobs.a.description=\\u12\n").starts_with("f:3: invalid character after \\u"));
  CHECK(import_refusal(job + "elasticjob.jobs.a.description=\\ud83d\\ude80 \\u652f\n") == "accepted");
  CHECK(import_refusal(job + "elasticjob.jobs.a.misfire=on\nelasticjob.jobs.a.misfire=on\n") == "f:4: misfire is given twice");
  CHECK(import_refusal(job + "elasticjob.jobs.a.description=${b}\nb=${c}\n")
          .starts_with("f:3: job 'a': description: \"${b}\" has a"));
  const std::pair<const char*, const char*> placeholders[]{
    {"${a:${b}}", "a placeholder inside a placeholder"},
    {"${b:${x}}", "a placeholder inside a placeholder"},
    {"${a", "a placeholder without an end"},
    {"${x}", "a placeholder without a value in these files"},
    {"${$}{b}", "a placeholder without a value in these files"},
    {"${v}", "a placeholder whose value has a placeholder"},
    {"${m:$}{b}", "a placeholder that is made of several texts"},
  };
  for (const auto& [text, mistake] : placeholders)
    CHECK(import_refusal(job + "elasticjob.jobs.a.description=" + text + "\nb=c\nv=${b}\n")
          == "f:3: job 'a': description: \"" + std::string{text} + "\" has " + mistake + "; write its value");
  CHECK(import_refusal("elasticjob:\n  jobs:\n    a: &x {elasticJobClass: C}\n    b: *x\n")
          .find("f:4: aliases are not supported; write the values") != std::string::npos);
}

TEST_CASE("import: a mistake in Spring XML has its line", "[config][elastic][import]") {
  const std::string begin = "<elasticjob:job id=\"a\" job-ref=\"b\" registry-center-ref=\"c\" sharding-total-count=\"1\"";
  CHECK(import_refusal(in_spring(begin + "/>")) == "accepted");
  CHECK(import_refusal(in_spring("\n" + begin + " corn=\"x\"/>")) == "f:3: unknown key 'corn'; did you mean 'cron'?");
  CHECK(import_refusal(in_spring("<elasticjob:jobb/>")) == "f:2: unknown element 'elasticjob:jobb'");
  CHECK(import_refusal(in_spring(begin + "><x/></elasticjob:job>")) == "f:2: unknown element 'x' in a job");
  CHECK(import_refusal(in_spring(begin + ">")).starts_with("f:"));
  CHECK(import_refusal("<!DOCTYPE beans [<!ENTITY e \"x\">]>\n<beans/>\n") == "f:1: a DTD is not supported; remove it");
  CHECK(import_refusal(in_spring("<a>&e;</a>")).starts_with("f:2: references to entities are not supported"));
  CHECK(import_refusal(in_spring("<!-- &e; <!DOCTYPE x> --><![CDATA[&e;]]>" + begin + " description=\"&#65;&lt;\"/>"))
        == "accepted");
  for (const std::string wrong : {"&#0", "&#x0", "&#x1f", "&#xD800", "&#x110000", "&#65536000000", "&#", "&#x", "&#xg"})
    CHECK(import_refusal(in_spring("\n" + begin + " description=\"" + wrong + ";\"/>"))
          == "f:3: invalid reference to a character: " + (wrong == "&#xg" ? "&#x" : wrong));
  CHECK(import_refusal(in_spring(begin + " description=\"&#9;&#xe4;&#x10FFFF;&apos;\"/>")) == "accepted");
  CHECK(import_refusal("<?xml version=\"1.0\" encoding=\"GBK\"?><a>\xC3\xA4</a>")
        == "f:1: encoding 'gbk' is not supported; convert the file to UTF-8");
  CHECK(import_refusal("<beans xmlns:job=\"http://www.dangdang.com/schema/ddframe/job\"/>")
          .starts_with("f:1: a configuration of ElasticJob 2"));
}

TEST_CASE("import: a file that is not a configuration is refused", "[config][elastic][import]") {
  for (const std::string empty : {"", "\n \n", "\xEF\xBB\xBF"})
    CHECK(import_refusal(empty) == "f:1: the file is empty");
  CHECK(import_refusal("# a comment\n") == "no file has a job of ElasticJob");
  CHECK(import_refusal("\xEF\xBB\xBF" + small_stored) == "accepted");
  CHECK(import_refusal(std::string("jobName: a\0", 11)) == "f:1: the file has a NUL character");
  CHECK(import_refusal("\xFF\xFEj\x01") == "f:1: the file is UTF-16; convert it to UTF-8");
  CHECK(import_refusal("jobName: \xE4\n") == "f:1: the file is not valid UTF-8; convert it");
  CHECK(import_refusal(std::string(import_file_bytes_max + 1, '#')) == "f:1: the file is longer than 4 MiB");
  CHECK(import_refusal("jobName: \"a\\0b\"\nshardingTotalCount: 1\n").starts_with("f:1: job 'ab': "));
  CHECK(import_refusal("{jobName: [a\n").starts_with("f:"));
  for (const std::string strange : {", ,\n", "a: b\n, c\n", "a\n]\n", "- a\n}\n", ": a\n", "...\n...\n", "%YAML 9.9\n---\n",
                                    "&a\n", "*a\n"})
    CHECK(import_refusal(strange) != "accepted");
  CHECK(import_refusal("? [a]\n: b\n") == "f:1: a key must be a text");
}

TEST_CASE("import: bombs end in an error or are not followed", "[config][elastic][import]") {
  std::string aliases = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 40; ++i) {
    const auto before = std::to_string(i - 1), now = std::to_string(i);
    aliases += "a" + now + ": &a" + now + " [*a" + before + ", *a" + before + "]\n";
  }
  CHECK(import_refusal(aliases + "elasticjob.jobs.j: {elasticJobClass: C, shardingTotalCount: 1}\n") == "accepted");
  CHECK(import_refusal("a: " + text_times("[", 64) + text_times("]", 64) + '\n') == "f:1: more than 64 levels");
  CHECK(import_refusal("a: " + text_times("[", 100'000) + '\n').starts_with("f:1: "));
  CHECK(import_refusal("a: " + text_times("{a: ", 100'000) + '\n').starts_with("f:1: "));
  CHECK(import_refusal("a: [" + text_times("1,", 310'000) + "]\n") == "f:1: more than 150000 values");
  CHECK(import_refusal("a: [" + text_times("[],", 310'000) + "]\n") == "f:1: more than 150000 values");
  CHECK(import_refusal(text_times("a", 600) + ":\n  " + text_times("b", 600) + ": c\n")
          .starts_with("f:2: a key with the names of its parents is longer"));
  CHECK(import_refusal(in_spring(text_times("<a>", 100'000) + text_times("</a>", 100'000))) == "no file has a job of ElasticJob");
  std::string jobs;
  for (std::size_t i = 0; i <= import_jobs_max; ++i)
    jobs += "elasticjob.jobs.j" + std::to_string(i) + ".cron=x\n";
  CHECK(import_refusal(jobs) == "more than 10000 jobs; import the files in several parts");
  const auto many = import_refusal(text_times("elasticjob.jobs.j.wrong=x\n", 5000));
  CHECK(many.ends_with("more errors"));
  CHECK(many.size() < 20'000);
}

TEST_CASE("import: files are read once, up to their limit", "[config][elastic][import]") {
  const auto folder = std::filesystem::temp_directory_path() / "ringmaster-import-test";
  std::filesystem::create_directories(folder);
  const auto path = (folder / "a.yml").string();
  std::ofstream{path} << small_stored;
  const std::vector<std::string> twice{path, (folder / "." / "a.yml").string()};
  const auto read = read_import_files(twice);
  REQUIRE(read);
  CHECK(read->size() == 1);
  CHECK(read->front().text == small_stored);
  const std::vector<std::string> missing{(folder / "none").string(), folder.string()};
  const auto refused = read_import_files(missing);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().context.starts_with((folder / "none").string() + ": No such file"));
  const std::vector<std::string> endless{"/dev/zero"};
  const auto zeros = read_import_files(endless);
  REQUIRE(zeros);
  CHECK(zeros->front().text.size() == import_file_bytes_max + 1);
  std::filesystem::remove_all(folder);
}
