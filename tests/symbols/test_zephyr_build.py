"""Settings from a build folder of Zephyr: image, link and rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tickertape.errors import UsageError
from tickertape.symbols.zephyr_build import find_build, find_builds

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

RTT = "CONFIG_TICKERTAPE_LINK_RTT=y\nCONFIG_TICKERTAPE_RTT_CHANNEL=2\n"
ITM = "CONFIG_TICKERTAPE_LINK_ITM=y\nCONFIG_TICKERTAPE_ITM_PORT=7\n"
DEVICETREE = """/ {
\tchosen {
\t\ttickertape,uart = &uart1;
\t};
\tsoc {
\t\tuart0: uart@40004000 {
\t\t\tcurrent-speed = < 0x1c200 >;
\t\t};
\t\tuart1: uart@40005000 {
\t\t\tstatus = "okay";
\t\t\tcurrent-speed = < 0xe1000 >;
\t\t};
\t};
};
"""
UDP = 'CONFIG_TICKERTAPE_LINK_UDP=y\nCONFIG_TICKERTAPE_UDP_PORT=4711\nCONFIG_BOARD="x"\n'
FILE = 'CONFIG_TICKERTAPE_LINK_SEMIHOSTING=y\nCONFIG_TICKERTAPE_FILE="some.bin"\n'
QEMU = "CONFIG_QEMU_TARGET=y\n"
UART = "CONFIG_TICKERTAPE_LINK_UART=y\n# CONFIG_TICKERTAPE_LINK_UDP is not set\n"


def make_build(folder: Path, config: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".config").write_text(f"CONFIG_TICKERTAPE=y\n{config}")
    (folder / "zephyr.elf").write_bytes(b"\x7fELF")
    (folder / "zephyr.dts").write_text(DEVICETREE)


@pytest.mark.parametrize("place", ["", "build", "build/zephyr"])
@pytest.mark.parametrize(
    ("config", "link"),
    [
        (UDP, "udp://0.0.0.0:4711"),
        (FILE, "some.bin"),
        (RTT, "rtt://localhost?channel=2"),
        (UART, None),
        (ITM, None),
    ],
)
def test_a_build_is_found_from_in_and_around_it(
    tmp_path: Path, place: str, config: str, link: str | None
) -> None:
    make_build(tmp_path / "build/zephyr", config)
    build = find_build(tmp_path / place)
    assert build is not None
    assert build.elf.samefile(tmp_path / "build/zephyr/zephyr.elf")
    assert build.link == link
    assert build.baud == 0xE1000


def test_a_build_without_the_recorder_is_none(tmp_path: Path) -> None:
    make_build(tmp_path / "zephyr", "")
    (tmp_path / "zephyr/.config").write_text("# CONFIG_TICKERTAPE is not set\n")
    assert find_build(tmp_path) is None
    assert find_build(tmp_path / "nowhere") is None


@pytest.mark.parametrize("text", ["", "tickertape,uart = &uart9;", DEVICETREE[:90]])
def test_a_devicetree_that_says_no_rate(tmp_path: Path, text: str) -> None:
    make_build(tmp_path / "zephyr", UART)
    (tmp_path / "zephyr/zephyr.dts").write_text(text)
    build = find_build(tmp_path)
    assert build is not None
    assert build.baud is None


DOMAINS = """default: app
build_dir: {folder}
domains:
  - name: mcuboot
    build_dir: {folder}/mcuboot
  - name: app
    build_dir: {folder}/app
flash_order:
  - mcuboot
  - app
"""


@pytest.mark.parametrize("place", ["", "build", "build/app", "build/app/zephyr"])
@pytest.mark.parametrize("written", ["{here}/build", "/where/it/was/built"])
def test_the_images_of_sysbuild_are_found(tmp_path: Path, place: str, written: str) -> None:
    make_build(tmp_path / "build/app/zephyr", UDP)
    make_build(tmp_path / "build/mcuboot/zephyr", UDP)
    text = DOMAINS.format(folder=written.format(here=tmp_path))
    (tmp_path / "build/domains.yaml").write_text(text)
    build = find_build(tmp_path / place)
    assert build is not None
    assert build.folder == tmp_path / "build/app"


def test_another_image_of_sysbuild_than_the_default_one_may_have_the_recorder(
    tmp_path: Path,
) -> None:
    make_build(tmp_path / "build/mcuboot/zephyr", UDP)
    (tmp_path / "build/domains.yaml").write_text(DOMAINS.format(folder=tmp_path / "build"))
    build = find_build(tmp_path)
    assert build is not None
    assert build.folder == tmp_path / "build/mcuboot"


@pytest.mark.parametrize("place", ["build_some_board", "build-some_board", "build/some_board"])
def test_builds_by_board_are_found_and_several_are_told(tmp_path: Path, place: str) -> None:
    make_build(tmp_path / place / "zephyr", UART)
    build = find_build(tmp_path)
    assert build is not None
    assert build.folder == tmp_path / place
    assert build.uart == "uart1"
    make_build(tmp_path / f"{place}_2" / "zephyr", UART)
    assert [build.folder.name for build in find_builds(tmp_path)] == [
        path.name for path in (tmp_path / place, tmp_path / f"{place}_2")
    ]
    with pytest.raises(UsageError, match=f"{place}, .*{place}_2; change to the folder"):
        find_build(tmp_path)


def test_capture_takes_the_link_of_the_build(tickertape: Command, tmp_path: Path) -> None:
    make_build(tmp_path / "build/zephyr", FILE)
    done = tickertape("capture", "-o", "T.tape")
    assert done.returncode != 0
    assert done.stderr == (
        "tickertape: there is no file some.bin, to which the build here writes by semihosting; "
        "start the target with semihosting in this folder, or name the file\n"
    )


def test_capture_asks_for_a_device(tickertape: Command, tmp_path: Path) -> None:
    done = tickertape("capture", "-o", "T.tape")
    assert "there is no build of Zephyr with tickertape here; name" in done.stderr
    make_build(tmp_path / "build/zephyr", UART)
    done = tickertape("capture", "-o", "T.tape")
    assert done.stderr.startswith("tickertape: the build here sends its trace over a UART")
    make_build(tmp_path / "build/zephyr", UART + QEMU)
    done = tickertape("capture", "-o", "T.tape")
    assert done.stderr == (
        "tickertape: the build here is for QEMU; start and capture it: tickertape run -o T.tape\n"
    )
    make_build(tmp_path / "build/zephyr", ITM)
    done = tickertape("capture", "-o", "T.tape")
    assert "swo:socket://localhost:3443?stimulus=7" in done.stderr
