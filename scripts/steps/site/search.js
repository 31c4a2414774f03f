// SPDX-License-Identifier: Apache-2.0
// Finds pages that have every word; `pages` is in index.js. Words in titles and headings count most.
'use strict';
const field = document.getElementById('search');
const list = document.getElementById('found');
const article = document.querySelector('article');
const page = document.documentElement;

function score(entry, words) {
  const title = entry.title.toLowerCase();
  const headings = entry.headings.join('\n').toLowerCase();
  const text = entry.text.toLowerCase();
  let sum = 0;
  for (const word of words) {
    const count = Math.min(text.split(word).length - 1, 20);
    const found = (title.includes(word) ? 40 : 0) + (headings.includes(word) ? 20 : 0) + count;
    if (!found) return 0;
    sum += found;
  }
  return entry.language === page.lang ? 2 * sum : sum;
}

function show() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  list.hidden = !words.length;
  article.hidden = !!words.length;
  list.replaceChildren();
  const found = words.length ? pages.map((entry) => [score(entry, words), entry]).filter(([sum]) => sum) : [];
  found.sort(([one], [other]) => other - one);
  for (const [, entry] of found.slice(0, 30)) {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = page.dataset.up + entry.place;
    link.textContent = entry.title;
    const start = Math.max(0, entry.text.toLowerCase().indexOf(words[0]) - 60);
    const line = document.createElement('p');
    line.textContent = entry.text.slice(start, start + 200);
    item.append(link, line);
    list.append(item);
  }
  if (words.length && !found.length) list.append(Object.assign(document.createElement('li'), { textContent: page.dataset.none }));
}

field.addEventListener('input', show);
// A link may carry what to search for.
const wanted = new URLSearchParams(location.search).get('q');
if (wanted) { field.value = wanted; show(); }
