"""Certificates of native links, for cases that start both ends."""

import subprocess


class LinkFiles:
    """Part of a `Case`: makes authorities and certificates in its folder."""

    def openssl(self, *words: object) -> None:
        subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)

    def authority(self, name: str) -> None:
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                     "-subj", f"/CN={name}", "-days", 60, "-keyout", self.folder / f"{name}.key",
                     "-out", self.folder / f"{name}.pem")

    def issue(self, name: str, authority: str, usage: str = "clientAuth") -> None:
        extensions = self.write(f"{name}.ext", f"extendedKeyUsage={usage}\n")
        request = self.folder / f"{name}.csr"
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
                     "-keyout", self.folder / f"{name}.key", "-out", request)
        self.openssl("x509", "-req", "-in", request, "-CA", self.folder / f"{authority}.pem", "-CAkey",
                     self.folder / f"{authority}.key", "-CAcreateserial", "-days", 60, "-extfile", extensions,
                     "-out", self.folder / f"{name}.pem")

    def link_words(self, name: str, authority: str = "links") -> list[str]:
        files = {"certificate": f"{name}.pem", "key": f"{name}.key", "ca": f"{authority}.pem"}
        return [word for key, file in files.items() for word in ("--set", f"link.{key}={self.folder / file}")]
