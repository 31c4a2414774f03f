# SPDX-License-Identifier: Apache-2.0
"""Opens the page of `evidence-tool check --html` in a browser, as a person would.

    check-page.py TOOL [FOLDER]

Files that belong to it and files that do not are chosen and dropped, by mouse and keyboard; a stranger's texts stay
texts; nothing is requested from anywhere. With FOLDER, what was seen is left there as pictures.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MEDIA = ROOT / "TestVectors" / "media"
TOOL = os.path.abspath(sys.argv[1])
PICTURES = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\u202e'\"&"


def tool(*arguments: str, status: int = 0) -> str:
    done = subprocess.run([TOOL, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == status, f"{arguments}: {done.returncode}, {done.stderr}"
    return done.stdout


def result() -> None:
    """A result that holds, another of the same order that a device signed and a stranger added to."""
    tool("keygen", "-o", "key.pem", "--public", "pub.pem")
    tool("keygen", "-o", "compare-key.pem", "--public", "compare-pub.pem")
    tool("keygen", "--device", "-o", "device.pem", "--public", "device-pub.pem")
    pathlib.Path("ticket.txt").write_text(tool("nonce"), encoding="utf-8")
    tool(
        "assemble", "--public", "pub.pem", "--compare-public", "compare-pub.pem", "--ticket-file", "ticket.txt",
        "--order-no", "ord1", "--app-id", "IDAXXXXX", "--user-id", "u1", "--video", str(MEDIA / "clip.mp4"),
        "--image", str(MEDIA / "photo.jpg"), "--device-key", "device.pem",
        "--challenge", "c2VydmVyLWNoYWxsZW5nZS0wMDE", "-o", "result.json",
    )
    document = json.loads(pathlib.Path("result.json").read_text(encoding="utf-8"))
    document[HOSTILE] = "1"
    pathlib.Path("hostile.json").write_text(json.dumps(document), encoding="utf-8")


CHECK = [
    "check", "--key", "key.pem", "--compare-key", "compare-key.pem", "--ticket-file", "ticket.txt", "--order-no", "ord1",
    "--app-id", "IDAXXXXX", "--user-id", "u1", "--device-key", "device-pub.pem",
    "--challenge", "c2VydmVyLWNoYWxsZW5nZS0wMDE",
]


def browser() -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1100,1400"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    return webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))


def picture(driver: webdriver.Chrome, name: str) -> None:
    if PICTURES:
        PICTURES.mkdir(exist_ok=True)
        height = driver.execute_script("return document.documentElement.scrollHeight")
        driver.set_window_size(1100, min(height + 200, 6000))
        driver.save_screenshot(str(PICTURES / f"{name}.png"))


def answers(driver: webdriver.Chrome, count: int) -> list[str]:
    """What the page says of the files that were given to it, once it has done with them."""
    def lines() -> list[str]:
        return [line.text for line in driver.find_elements(By.CSS_SELECTOR, "#results li")]

    WebDriverWait(driver, 60).until(lambda _: len(lines()) == count and not any("being read" in line for line in lines()))
    return lines()


def requests(driver: webdriver.Chrome) -> set[str]:
    """What the page asked for, but for itself."""
    found = set()
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            if not url.startswith(("file:///", "data:")):
                found.add(url)
    return found


def good_page(driver: webdriver.Chrome) -> None:
    tool(*CHECK, "--extract", "kept", "--html", "page.html", "--show", "photo", "--show", "video", "result.json")
    driver.get(pathlib.Path("page.html").absolute().as_uri())
    assert "everything that was required" in driver.find_element(By.CLASS_NAME, "verdict").text
    assert "genuine" not in driver.page_source.lower()
    assert driver.execute_script("return document.querySelector('figure img').naturalWidth") == 96
    assert driver.execute_script("return document.querySelector('figure video').src.startsWith('data:video/mp4')")
    picture(driver, "holds")

    chooser = driver.find_element(By.ID, "files")
    kept = sorted(str(path.absolute()) for path in pathlib.Path("kept").iterdir())
    chooser.send_keys("\n".join(kept))
    for path, line in zip(kept, answers(driver, len(kept))):
        name = os.path.basename(path)
        assert "matches this page" in line and line.count(name) == 2, line

    # A file that was changed, under the right name; one with a name that is a text; one that is larger than browsers read.
    folder = pathlib.Path("wrong")
    folder.mkdir()
    changed = bytearray(pathlib.Path("kept/video.mp4").read_bytes())
    changed[-1] ^= 1
    (folder / "video.mp4").write_bytes(changed)
    (folder / "<img src=x onerror=alert(1)>.mp4").write_bytes(b"")
    with open(folder / "large.mp4", "wb") as file:
        file.truncate(2**31)
    wrong = ["video.mp4", "<img src=x onerror=alert(1)>.mp4", "large.mp4"]
    chooser.send_keys("\n".join(str((folder / name).absolute()) for name in wrong))
    lines = answers(driver, len(kept) + len(wrong))[len(kept):]
    assert "matches nothing" in lines[0] and "matches nothing" in lines[1] and "<img" in lines[1], lines
    assert "Use the command" in lines[2], lines

    # The same by dropping, which a driver can only imitate.
    driver.execute_script(
        """const files = new DataTransfer();
        files.items.add(new File(["other"], "dropped.bin"));
        document.getElementById("drop").dispatchEvent(new DragEvent("drop", {dataTransfer: files, bubbles: true}));"""
    )
    assert "matches nothing" in answers(driver, len(kept) + len(wrong) + 1)[-1]

    # By keyboard alone: the language is the first thing, the chooser comes next.
    driver.execute_script("document.activeElement.blur()")
    body = driver.find_element(By.TAG_NAME, "body")
    body.send_keys(Keys.TAB)
    driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    assert "检查结论" in driver.find_element(By.CLASS_NAME, "verdict").text
    assert "The check found" not in driver.find_element(By.TAG_NAME, "main").text
    picture(driver, "holds-zh")
    seen = []
    for _ in range(8):
        # Not to the element: keys that are sent to a chooser of files are names of files.
        ActionChains(driver).send_keys(Keys.TAB).perform()
        seen.append(driver.switch_to.active_element.get_attribute("id"))
    assert "files" in seen, seen
    printed = driver.execute_cdp_cmd("Page.printToPDF", {})
    assert len(printed["data"]) > 10_000


def hostile_page(driver: webdriver.Chrome) -> None:
    tool(*CHECK, "--html", "hostile.html", "hostile.json", status=4)
    source = pathlib.Path("hostile.html").read_text(encoding="utf-8")
    assert source.count("<script") == 1 and "\u202e" not in source
    driver.get(pathlib.Path("hostile.html").absolute().as_uri())
    assert "owned" not in driver.title
    assert not driver.find_elements(By.TAG_NAME, "img")
    picture(driver, "hostile")


def failing_page(driver: webdriver.Chrome) -> None:
    """What fails is said, and nothing of the person is shown."""
    wrong = [word if word != "ord1" else "ord2" for word in CHECK]
    tool(*wrong, "--html", "fails.html", "--show", "photo", "--show", "video", "result.json", status=1)
    driver.get(pathlib.Path("fails.html").absolute().as_uri())
    assert "something that fails" in driver.find_element(By.CLASS_NAME, "verdict").text
    assert not driver.find_elements(By.CSS_SELECTOR, "img, video")
    picture(driver, "fails")


def main() -> None:
    global PICTURES
    if PICTURES:
        PICTURES = PICTURES.absolute()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        result()
        driver = browser()
        try:
            for page in (good_page, hostile_page, failing_page):
                page(driver)
                # The browser itself refuses what the policy forbids, and says so here.
                complaints = [entry["message"] for entry in driver.get_log("browser")]
                assert not complaints, complaints
                assert not requests(driver), requests(driver)
        finally:
            driver.quit()
            os.chdir("/")
    print("the page shows what was found, knows its files, and asks nobody")


main()
