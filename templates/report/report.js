"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (id) => document.getElementById(id);

  // --- source text: highlighting, line numbers, links -------------------------------------------
  const words = (text) => new Set(text.split(" "));
  const LANGUAGES = {
    cpp: {
      token: /(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(^[ \t]*#[^\n]*)|("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)'?)|(\b(?:0[xX][\da-fA-F']+|\.?\d(?:[\w.']|[eEpP][+-])*))|([A-Za-z_]\w*)/gm,
      keywords: words("alignas asm auto break case catch class const constexpr const_cast continue decltype default delete do dynamic_cast else enum explicit extern false for friend goto if inline namespace new noexcept nullptr operator private protected public register reinterpret_cast return sizeof static static_assert static_cast struct switch template this throw true try typedef typeid typename union using virtual volatile while __global__ __device__ __host__ __shared__ __constant__ __restrict__ __forceinline__ __noinline__ __launch_bounds__ __aicore__ __gm__ __ubuf__ __simt_vf__ __vector__ __cube__ GM_ADDR"),
      types: words("void bool char short int long float double signed unsigned size_t half bfloat16_t __half __half2 __nv_bfloat16 __nv_bfloat162 dim3 int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uchar4 char4 int2 int3 int4 uint2 uint4 float2 float3 float4 double2 LocalTensor GlobalTensor TQue TBuf TPipe aclrtStream"),
    },
    python: {
      token: /(#[^\n]*)|(^[ \t]*@[\w.]+)|([rbfRBF]{0,2}(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?))|(\b(?:0[xX][\da-fA-F_]+|\d(?:[\w.]|[eE][+-])*))|([A-Za-z_]\w*)/gm,
      keywords: words("False None True and as assert break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield"),
      types: words("int float bool str bytes tuple list dict range T torch Tensor"),
    },
  };

  const classOf = (match, language, text) => {
    if (match[1]) return "c";
    if (match[2]) return "p";
    if (match[3]) return "s";
    if (match[4]) return "n";
    if (language.keywords.has(match[5])) return "k";
    if (language.types.has(match[5])) return "t";
    return text[match.index + match[5].length] === "(" ? "f" : "";
  };

  // Splits the text into lines of [class, text] pieces; a token over several lines is cut.
  const tokenLines = (text, language) => {
    const lines = [[]];
    const put = (kind, piece) => {
      piece.split("\n").forEach((part, i) => {
        if (i) lines.push([]);
        if (part) lines[lines.length - 1].push([kind, part]);
      });
    };
    let at = 0;
    for (const match of text.matchAll(language.token)) {
      const kind = classOf(match, language, text);
      if (!kind || !match[0]) continue;
      put("", text.slice(at, match.index));
      put(kind, match[0]);
      at = match.index + match[0].length;
    }
    put("", text.slice(at));
    return lines;
  };

  const marksOf = (pre) => {
    const marks = new Map();
    for (const item of (pre.dataset.marks || "").split(" ").filter(Boolean)) {
      const [line, severity, code] = item.split("/");
      const old = marks.get(+line);
      const worse = !old || severity === "error" || (severity === "warning" && old.severity === "note");
      marks.set(+line, { severity: worse ? severity : old.severity, codes: old ? `${old.codes} ${code}` : code });
    }
    return marks;
  };

  const numberLines = (pre, linked) => {
    const first = +pre.dataset.first || 1;
    const marks = marksOf(pre);
    const box = document.createElement("div");
    box.className = "lines";
    tokenLines(pre.textContent, LANGUAGES[pre.dataset.language] || LANGUAGES.cpp).forEach((pieces, i) => {
      const row = document.createElement("div");
      row.className = "ln";
      row.dataset.n = i + 1;
      const no = document.createElement("span");
      no.className = "no";
      no.textContent = first + i;
      row.append(no);
      for (const [kind, text] of pieces) {
        if (!kind) { row.append(text); continue; }
        const span = document.createElement("span");
        span.className = `t-${kind}`;
        span.textContent = text;
        row.append(span);
      }
      if (linked.has(i + 1)) row.classList.add("linked");
      const mark = marks.get(i + 1);
      if (mark) { row.classList.add(`mark-${mark.severity}`); no.title = mark.codes; }
      box.append(row);
    });
    pre.replaceChildren(box);
    pre.classList.add("ready");
  };

  const add = (map, key, value) => { if (!map.has(key)) map.set(key, new Set()); map.get(key).add(value); };

  const preparePanes = (panes) => {
    if (panes.dataset.ready) return;
    panes.dataset.ready = "1";
    const maps = { original: new Map(), generated: new Map() };
    for (const pair of panes.dataset.pairs.split(" ").filter(Boolean)) {
      const [generated, original] = pair.split(":").map(Number);
      add(maps.generated, generated, original);
      add(maps.original, original, generated);
    }
    const pres = all(".src", panes);
    for (const pre of pres) numberLines(pre, maps[pre.dataset.side]);
    const bySide = Object.fromEntries(pres.map((p) => [p.dataset.side, p]));
    if (!bySide.original || !bySide.generated) return;
    const rows = Object.fromEntries(pres.map((p) => [p.dataset.side, p.firstChild.children]));
    const other = { original: "generated", generated: "original" };
    let lit = [];
    const clear = () => { lit.forEach((row) => row.classList.remove("lit")); lit = []; };
    const lineAt = (event, pre) => {
      const row = event.target.closest(".ln");
      return row && maps[pre.dataset.side].has(+row.dataset.n) ? row : null;
    };
    for (const pre of pres) {
      const side = pre.dataset.side;
      pre.addEventListener("mouseover", (event) => {
        clear();
        const row = lineAt(event, pre);
        if (!row) return;
        const partners = [...maps[side].get(+row.dataset.n)];
        const back = new Set(partners.flatMap((n) => [...maps[other[side]].get(n)]));
        lit = [...partners.map((n) => rows[other[side]][n - 1]), ...[...back].map((n) => rows[side][n - 1])].filter(Boolean);
        lit.forEach((x) => x.classList.add("lit"));
      });
      pre.addEventListener("mouseleave", clear);
      pre.addEventListener("click", (event) => {
        const row = lineAt(event, pre);
        if (!row || String(getSelection())) return;
        const target = rows[other[side]][Math.min(...maps[side].get(+row.dataset.n)) - 1];
        if (!target) return;
        const box = bySide[other[side]];
        const offset = row.getBoundingClientRect().top - pre.getBoundingClientRect().top;
        const now = target.getBoundingClientRect().top - box.getBoundingClientRect().top;
        box.scrollBy({ top: now - offset, behavior: "smooth" });
      });
    }
  };

  const prepare = (details) => all(".panes", details).forEach(preparePanes);
  const kernels = all(".kernel");
  for (const kernel of kernels) {
    kernel.addEventListener("toggle", () => { if (kernel.open) prepare(kernel); });
    // The address names the kernel that was opened last, so that it can be passed on.
    kernel.firstElementChild.addEventListener("click", () => { if (!kernel.open) history.replaceState(null, "", `#${kernel.id}`); });
  }
  addEventListener("beforeprint", () => kernels.filter((k) => k.open && !k.hidden).forEach(prepare));

  // --- the place that the address names ---------------------------------------------------------
  const reveal = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && one(id);
    if (!target || target.tagName !== "DETAILS") return;
    target.hidden = false;
    target.open = true;
    if (target.classList.contains("kernel")) prepare(target);
    target.scrollIntoView({ block: "start" });
  };
  addEventListener("hashchange", reveal);
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.getAttribute("href") === location.hash) reveal();
  });

  // --- filters and sorting ----------------------------------------------------------------------
  const list = one("kernels");
  if (list) {
    const tools = document.querySelector(".tools");
    const filter = one("filter");
    const rung = one("rung");
    const chips = all(".chip");
    tools.hidden = false;
    const update = () => {
      const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
      const off = new Set(chips.filter((c) => c.getAttribute("aria-pressed") === "false").map((c) => c.dataset.verdict));
      let shown = 0;
      for (const k of kernels) {
        const fits = !off.has(k.dataset.verdict) && (!rung || !rung.value || rung.value === k.dataset.rung) && wanted.every((w) => k.dataset.search.includes(w));
        k.hidden = !fits;
        shown += fits;
      }
      one("shown").textContent = shown === kernels.length ? "" : `${shown} of ${kernels.length} shown`;
      one("nothing").hidden = shown > 0;
    };
    filter.addEventListener("input", update);
    if (rung) rung.addEventListener("change", update);
    // A click shows or hides a verdict; with a modifier key it shows that verdict alone.
    for (const chip of chips) {
      chip.title = "Click to hide or show; Shift-click to show only these";
      chip.addEventListener("click", (event) => {
        const alone = event.shiftKey || event.metaKey || event.ctrlKey;
        for (const c of alone ? chips : [chip]) {
          const on = alone ? c === chip : c.getAttribute("aria-pressed") === "false";
          c.setAttribute("aria-pressed", String(on));
        }
        update();
      });
    }
    addEventListener("keydown", (event) => {
      if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) { event.preventDefault(); filter.focus(); }
      if (event.key === "Escape" && document.activeElement === filter) { filter.value = ""; update(); }
    });
    one("open-all").addEventListener("click", () => kernels.forEach((k) => { if (!k.hidden) k.open = true; }));
    one("close-all").addEventListener("click", () => kernels.forEach((k) => { k.open = false; }));

    const numeric = new Set(["compared", "worst", "confidence"]);
    const position = (k) => +k.dataset.position;
    const compare = (key) => (a, b) => {
      if (key === "order") return position(a) - position(b);
      if (numeric.has(key)) return +a.dataset[key] - +b.dataset[key];
      const words = a.dataset[key].localeCompare(b.dataset[key], undefined, { numeric: true });
      return words || (key === "place" ? a.dataset.line - b.dataset.line : 0);
    };
    const heads = all(".head");
    for (const head of heads) {
      head.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending" || (numeric.has(head.dataset.key) && !head.hasAttribute("aria-sort"));
        heads.forEach((h) => h.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const order = compare(head.dataset.key);
        list.append(...[...kernels].sort((a, b) => (down ? order(b, a) : order(a, b)) || position(a) - position(b)));
      });
    }
    if (kernels.length === 1) kernels[0].open = true;
    update();
  }
  reveal();
})();
