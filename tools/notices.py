#!/usr/bin/env python3
"""Third-party notices and a software bill of materials (SPDX 2.3) of a build: the libraries that the program is linked with, and
the packages that its web pages contain. Fails when a licence is not one of those that we can distribute.

    notices.py PROGRAM PAGES WEB OUTPUT

PAGES: folder with the *.packages.json files that web/build.mjs writes; WEB: folder with node_modules; OUTPUT: folder.
"""
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

# In the pages, as source text: nothing that would reach beyond its own files.
BUNDLED = {"MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "0BSD", "Unlicense", "CC0-1.0"}


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def owner_of(path):
    """The Debian package of a file, or None; merged folders are known by both paths."""
    for name in (path, path.replace("/usr/lib/", "/lib/", 1), os.path.realpath(path)):
        found = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(":")[0].split(",")[0]
    return None


def licences_of(package):
    """Short names in a machine-readable copyright file; otherwise what its text mentions."""
    path = Path("/usr/share/doc") / package / "copyright"
    text = path.read_text(errors="replace") if path.exists() else ""
    names = sorted(set(re.findall(r"^License: *(\S[^\n]*)$", text, re.M)))
    if not names:
        names = [name for name in ("LGPL", "GPL", "BSD", "MIT", "Apache") if re.search(rf"\b{name}\b", text)]
    return names, text


def libraries(program):
    """Packages of what a program links, also through our own library where that is a shared one."""
    places = dict(re.findall(r"^\s*(\S+) => (\S+)", output("ldd", program), re.M))
    own = [path for name, path in places.items() if name.startswith("libtenon.so")]
    told = "".join(output("readelf", "-d", file) for file in [program, *own])
    needed = [name for name in dict.fromkeys(re.findall(r"\(NEEDED\).*\[(.*)\]", told)) if not name.startswith("libtenon.so")]
    packages = {}
    for name in needed:
        package = owner_of(places.get(name, name))
        if not package:
            sys.exit(f"notices: no package owns {name}")
        packages.setdefault(package, []).append(name)
    for package, files in sorted(packages.items()):
        version = output("dpkg-query", "-W", "-f", "${Version}\n", package).split("\n")[0]
        names, text = licences_of(package)
        yield {"kind": "linked", "name": package, "version": version, "files": files, "licences": names, "text": text}


def pages(folder, web):
    bundled = {}
    for file in sorted(Path(folder).rglob("*packages.json")):
        for name in json.loads(file.read_text()):
            bundled.setdefault(name, []).append(file.name.removesuffix(".packages.json"))
    for name, files in sorted(bundled.items()):
        place = Path(web) / "node_modules" / name
        about = json.loads((place / "package.json").read_text())
        texts = [path.read_text(errors="replace") for path in sorted(place.glob("*")) if re.match(r"(?i)licen[cs]e", path.name)]
        yield {"kind": "bundled", "name": name, "version": about["version"], "files": files,
               "licences": [about.get("license", "")], "text": "\n".join(texts)}


def faults(items):
    for item in items:
        if item["kind"] == "bundled" and not set(item["licences"]) <= BUNDLED:
            yield f"{item['name']}: licence {item['licences']} in a page"
        if item["kind"] == "bundled" and not item["text"].strip():
            yield f"{item['name']}: no text of its licence"
        if item["kind"] == "linked" and not item["licences"]:
            yield f"{item['name']}: no licence is known"


def notices(items):
    lines = ["Tenon is licensed under the Apache License 2.0. It is linked with, or its pages contain, the following.", ""]
    for item in items:
        how = "linked dynamically: " if item["kind"] == "linked" else "in the pages: "
        lines += ["=" * 100, f"{item['name']} {item['version']}", how + ", ".join(item["files"]),
                  "licence: " + ", ".join(item["licences"]), ""]
        if item["kind"] == "bundled":
            lines += [item["text"].strip(), ""]
        else:
            lines += [f"its terms: /usr/share/doc/{item['name']}/copyright", ""]
    return "\n".join(lines)


def spdx_id(item):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", f"{item['kind']}-{item['name']}")


def bill(items, version):
    created = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    packages = [{"SPDXID": "SPDXRef-tenon", "name": "tenon", "versionInfo": version, "downloadLocation": "NOASSERTION",
                 "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "filesAnalyzed": False}]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-tenon"}]
    for item in items:
        place = "deb/debian" if item["kind"] == "linked" else "npm"
        declared = item["licences"][0] if item["kind"] == "bundled" else "NOASSERTION"
        packages.append({"SPDXID": spdx_id(item), "name": item["name"], "versionInfo": item["version"],
                         "downloadLocation": "NOASSERTION", "licenseConcluded": declared, "licenseDeclared": declared,
                         "licenseComments": "; ".join(item["licences"]), "filesAnalyzed": False,
                         "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                           "referenceLocator": f"pkg:{place}/{item['name'].replace('@', '%40')}@{item['version']}"}]})
        relation = "DYNAMIC_LINK" if item["kind"] == "linked" else "CONTAINS"
        relations.append({"spdxElementId": "SPDXRef-tenon", "relationshipType": relation, "relatedSpdxElement": spdx_id(item)})
    names = hashlib.sha256(json.dumps(packages, sort_keys=True).encode()).hexdigest()
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"tenon-{version}",
            "documentNamespace": f"urn:tenon:sbom:{version}:{names[:32]}",
            "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(created)), "creators": ["Tool: notices.py"]},
            "packages": packages, "relationships": relations}


def main():
    program, folder, web, out = sys.argv[1:]
    items = [*libraries(program), *pages(folder, web)]
    wrong = list(faults(items))
    if wrong:
        sys.exit("\n".join(f"notices: {line}" for line in wrong))
    version = json.loads(output(program, "version", "--json"))["version"]
    Path(out).mkdir(parents=True, exist_ok=True)
    (Path(out) / "THIRD-PARTY-NOTICES.txt").write_text(notices(items))
    (Path(out) / "tenon.spdx.json").write_text(json.dumps(bill(items, version), indent=1) + "\n")
    print(f"{sum(i['kind'] == 'linked' for i in items)} libraries, {sum(i['kind'] == 'bundled' for i in items)} packages in pages")


if __name__ == "__main__":
    main()
