// SPDX-License-Identifier: Apache-2.0
// Computes the SHA-256 of files that are dropped here and looks for it among the digests of this page. Nothing leaves it.
"use strict";
(() => {
  const LARGEST = 2 ** 31 - 1; // Browsers read a file at once, and fail beyond this.
  const zone = document.getElementById("drop");
  const chooser = document.getElementById("files");
  const results = document.getElementById("results");
  if (!zone || !chooser || !results) return;

  const listed = new Map();
  for (const row of document.querySelectorAll("[data-sha256]")) {
    const names = listed.get(row.dataset.sha256) || [];
    names.push(row.dataset.name);
    listed.set(row.dataset.sha256, names);
  }

  const show = (answer, words) => {
    const copy = document.getElementById("answer-" + answer).content.cloneNode(true);
    for (const [part, text] of Object.entries(words)) {
      for (const place of copy.querySelectorAll("." + part)) place.textContent = text;
    }
    return copy;
  };

  const look = async (file) => {
    const line = document.createElement("li");
    line.append(show("working", { file: file.name }));
    results.append(line);
    let answer = "failed";
    const words = { file: file.name, listed: "", digest: "" };
    if (file.size > LARGEST || !globalThis.crypto || !crypto.subtle) {
      answer = "too-large";
    } else {
      try {
        const hash = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
        words.digest = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
        words.listed = (listed.get(words.digest) || []).join(", ");
        answer = words.listed ? "matches" : "unlisted";
      } catch { /* It could not be read: the answer says so. */ }
    }
    line.replaceChildren(show(answer, words));
  };

  // One after the other: each is in memory whole.
  let queue = Promise.resolve();
  const take = (files) => {
    for (const file of files) queue = queue.then(() => look(file));
  };
  chooser.addEventListener("change", () => {
    take(Array.from(chooser.files));
    chooser.value = "";
  });
  for (const name of ["dragover", "dragenter"]) {
    zone.addEventListener(name, (event) => {
      event.preventDefault();
      zone.classList.add("over");
    });
  }
  for (const name of ["dragleave", "drop"]) zone.addEventListener(name, () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    take(Array.from(event.dataTransfer.files));
  });
  // A file that misses the place must not replace the page.
  for (const name of ["dragover", "drop"]) window.addEventListener(name, (event) => event.preventDefault());
})();
