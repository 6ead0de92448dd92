#include "bench/link_files.hpp"

#include "bench/server_process.hpp"

namespace ringmaster::bench {

link_files::link_files() : port_{free_port()} {}

std::vector<std::string> link_files::settings() const {
  return {"link.listen=127.0.0.1:" + std::to_string(port_), "link.certificate=" + node_.certificate, "link.key=" + node_.key,
          "link.ca=" + authority_.file()};
}

std::vector<std::string> link_files::executor_words() const {
  return {"node=127.0.0.1:" + std::to_string(port_), "certificate=" + executor_.certificate, "key=" + executor_.key,
          "ca=" + authority_.file()};
}

} // namespace ringmaster::bench
