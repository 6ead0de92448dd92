// Spring XML: the elements of ElasticJob's namespace, and the beans that they name (EJ §18).

#include <array>
#include <exception>
#include <set>
#include <utility>

#include <pugixml.hpp>

#include "config/elasticjob/readers.hpp"
#include "config/elasticjob/xml_markup.hpp"
#include "core/text/text.hpp"

namespace ringmaster::config {

namespace {

using namespace std::string_view_literals;

constexpr auto namespace_of_3 = "http://shardingsphere.apache.org/schema/elasticjob"sv;
constexpr auto namespace_of_2 = "http://www.dangdang.com/schema/ddframe/"sv;

/// Elements beside jobs and registry centres, and what the remark says of them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> dropped_elements{{
  {"rdb-tracing", "rdb-tracing is left out: the history of jobs is in Ringmaster's database"},
  {"snapshot", "snapshot is left out"},
  {"job-scanner", "job-scanner is left out: the jobs of annotated classes are not in this file"},
}};

struct xml_name {
  std::string_view prefix, local;
};

xml_name divided(std::string_view name) noexcept {
  const auto colon = name.find(':');
  return colon == std::string_view::npos ? xml_name{{}, name} : xml_name{name.substr(0, colon), name.substr(colon + 1)};
}

/// Returns the next node in the order of the document.
pugi::xml_node next_node(pugi::xml_node node) {
  if (const auto child = node.first_child())
    return child;
  while (node && !node.next_sibling())
    node = node.parent();
  return node ? node.next_sibling() : pugi::xml_node{};
}

/// Reader of one parsed document.
class spring_reader {
public:
  spring_reader(std::string_view text, file_findings& found, std::vector<source_job>& jobs, source_names& names)
    : lines_(text), found_(found), jobs_(jobs), names_(names) {}

  void run(const pugi::xml_document& document) {
    find_prefixes(document);
    for (auto node = document.first_child(); node; node = next_node(node))
      if (node.type() == pugi::node_element)
        read_element(node);
  }
  [[nodiscard]] std::size_t line_of(std::ptrdiff_t offset) const noexcept { return lines_.line_of(offset); }

private:
  void find_prefixes(const pugi::xml_document& document) {
    for (auto node = document.first_child(); node; node = next_node(node))
      for (const auto& attribute : node.attributes()) {
        const std::string_view name = attribute.name(), value = attribute.value();
        if (name != "xmlns" && divided(name).prefix != "xmlns")
          continue;
        if (value == namespace_of_3)
          prefixes_.emplace(name == "xmlns" ? std::string_view{} : divided(name).local);
        else if (value.starts_with(namespace_of_2))
          found_.refuse(line_of(node), "a configuration of ElasticJob 2; update it to ElasticJob 3 first");
      }
  }

  [[nodiscard]] std::size_t line_of(const pugi::xml_node& node) const { return lines_.line_of(node.offset_debug()); }

  void read_element(const pugi::xml_node& node) {
    const auto name = divided(node.name());
    if (!prefixes_.contains(name.prefix)) {
      if (name.local == "bean" && node.attribute("id") && node.attribute("class"))
        names_.classes.emplace(node.attribute("id").value(), node.attribute("class").value());
      return;
    }
    if (name.local == "job")
      return read_job(node);
    if (name.local == "zookeeper")
      return read_registry(node);
    for (const auto& [element, remark] : dropped_elements)
      if (name.local == element)
        return remark_once(remark);
    // The properties of a job are read with it; their elements may have this prefix, too.
    if (name.local != "props" && name.local != "prop")
      found_.refuse(line_of(node), "unknown element '" + core::valid_utf8(node.name()) + "'");
  }

  void read_registry(const pugi::xml_node& node) {
    names_.name_spaces.emplace(node.attribute("id").value(), node.attribute("namespace").value());
    remark_once("the registry centre is left out, except for its namespace: Ringmaster needs no registry");
  }

  void read_job(const pugi::xml_node& node) {
    source_job job;
    job.kind = source_kind::xml;
    job.file = found_.file();
    job.line = line_of(node);
    for (const auto& attribute : node.attributes())
      read_attribute(job, attribute);
    for (const auto& child : node.children())
      if (child.type() == pugi::node_element)
        read_child(job, child);
    jobs_.push_back(std::move(job));
  }

  void read_attribute(source_job& job, const pugi::xml_attribute& attribute) {
    const std::string_view name = attribute.name(), value = attribute.value();
    if (name == "id")
      job.name = value;
    else if (name == "job-ref")
      job.bean = value;
    else if (name == "registry-center-ref")
      job.registry = value;
    else if (name == "job-type")
      job.options.emplace("elasticJobType", source_value{std::string{value}, job.line});
    else if (name == "tracing-ref")
      remark_once("tracing-ref is left out: the history of jobs is in Ringmaster's database");
    else if (name != "xmlns" && divided(name).prefix.empty())
      add_option(job, name, std::string{value}, job.line, found_);
  }

  void read_child(source_job& job, const pugi::xml_node& props) {
    if (divided(props.name()).local != "props")
      return found_.refuse(line_of(props), "unknown element '" + core::valid_utf8(props.name()) + "' in a job");
    for (const auto& prop : props.children()) {
      if (prop.type() != pugi::node_element)
        continue;
      if (divided(prop.name()).local != "prop" || !prop.attribute("key"))
        found_.refuse(line_of(prop), "expected <prop key=\"…\">");
      else
        add_prop(job, prop.attribute("key").value(), prop.text().get(), line_of(prop), found_);
    }
  }

  void remark_once(std::string_view what) {
    if (said_.emplace(what).second)
      found_.remark(what);
  }

  line_index lines_;
  file_findings& found_;
  std::vector<source_job>& jobs_;
  source_names& names_;
  std::set<std::string, std::less<>> prefixes_;
  std::set<std::string, std::less<>> said_;
};

} // namespace

void read_xml(std::string_view text, file_findings& found, std::vector<source_job>& jobs, source_names& names) {
  spring_reader reader{text, found, jobs, names};
  if (const auto refused = find_refused_markup(text))
    return found.refuse(reader.line_of(static_cast<std::ptrdiff_t>(refused->at)), refused->why);
  try {
    pugi::xml_document document;
    const auto parsed = document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!parsed)
      return found.refuse(reader.line_of(parsed.offset), std::string{"invalid XML: "} + parsed.description());
    reader.run(document);
  } catch (const std::exception&) {
    found.refuse(1, "invalid XML");
  }
}

} // namespace ringmaster::config
