"""What a workbook says, and what LibreOffice makes of it."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as Xml

NAMES = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
CACHED = re.compile(rb"(</f>)<v>[^<]*</v>")
OPTIONS = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1"
ALWAYS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"
 xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item></oor:items>"""


class Cell(NamedTuple):
    """What a cell shows, and its formula."""

    value: str
    formula: str


def cells(workbook: bytes) -> dict[str, dict[tuple[int, int], Cell]]:
    """Every cell by sheet, row and column (from 0)."""
    with zipfile.ZipFile(io.BytesIO(workbook)) as file:
        shared = Xml.fromstring(file.read("xl/sharedStrings.xml"))
        texts = ["".join(part.itertext()) for part in shared.findall("m:si", NAMES)]
        names = Xml.fromstring(file.read("xl/workbook.xml")).findall("m:sheets/m:sheet", NAMES)
        return {
            sheet.attrib["name"]: _cells(file.read(f"xl/worksheets/sheet{n}.xml"), texts)
            for n, sheet in enumerate(names, 1)
        }


def numbers(workbook: bytes) -> set[tuple[str, int, int]]:
    """Every cell that holds a number, a date or a formula: sheet, row, column."""
    found = set()
    with zipfile.ZipFile(io.BytesIO(workbook)) as file:
        for n, sheet in enumerate(cells(workbook), 1):
            for cell in Xml.fromstring(file.read(f"xl/worksheets/sheet{n}.xml")).iter(
                f"{{{NAMES['m']}}}c"
            ):
                if cell.get("t") != "s" and len(cell):
                    found.add((sheet, *_place(cell.attrib["r"])))
    return found


def _cells(sheet: bytes, texts: list[str]) -> dict[tuple[int, int], Cell]:
    found = {}
    for cell in Xml.fromstring(sheet).iter(f"{{{NAMES['m']}}}c"):
        value, formula = (cell.findtext(f"m:{name}", "", NAMES) for name in "vf")
        text = texts[int(value)] if cell.get("t") == "s" else value
        found[_place(cell.attrib["r"])] = Cell(text, formula)
    return found


def _place(name: str) -> tuple[int, int]:
    letters = name.rstrip("0123456789")
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - 64
    return int(name[len(letters) :]) - 1, column - 1


def uncached(workbook: bytes) -> bytes:
    """The workbook with nothing beside its formulas: who shows a value has computed it."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, CACHED.sub(rb"\1", old.read(name)))
    return out.getvalue()


def available() -> bool:
    """Whether LibreOffice is here."""
    return shutil.which("soffice") is not None


def recalculated(
    workbooks: Mapping[str, bytes], folder: Path
) -> dict[str, dict[str, list[list[str]]]]:
    """Every sheet of every workbook as LibreOffice computes it, numbers in full."""
    profile = folder / "profile"
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(ALWAYS)
    files = [folder / f"{name}.xlsx" for name in workbooks]
    for file, workbook in zip(files, workbooks.values(), strict=True):
        file.write_bytes(uncached(workbook))
    asked = ["soffice", f"-env:UserInstallation=file://{profile}", "--headless", "--convert-to"]
    done = subprocess.run(
        [*asked, OPTIONS, "--outdir", str(folder), *map(str, files)],
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, list[list[str]]]] = {name: {} for name in workbooks}
    for path in folder.glob("*-*.csv"):
        name, _, sheet = path.stem.partition("-")
        with path.open(encoding="utf-8", newline="") as lines:
            found[name][sheet] = list(csv.reader(lines))
    return found
