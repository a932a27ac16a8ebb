#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The SVG in a browser: a click zooms, a search marks and sums, Reset goes back; nothing throws.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"
chromium=$(command -v chromium || command -v chromium-browser) || skip "no chromium"

"$PCPUSTAT" flame --from "${EXAMPLE:-examples/storm.jsonl.gz}" --comm -o "$work/a.svg" 2>/dev/null ||
	fail "flame: exit $?"

# run SCRIPT: the words that it makes of the page after its own script has run.
run()
{
	{
		sed '$d' "$work/a.svg"
		cat <<-JS
			<script><![CDATA[
			const out = [];
			window.onerror = (m) => out.push('threw ' + m);
			const shown = () => document.querySelectorAll('.f:not(.off)').length;
			const all = document.querySelectorAll('.f');
			const find = (name) => [...all].find((g) =>
				g.querySelector('title').textContent.split('\n')[0] === name);
			const width = (g) => Number(g.querySelector('rect').getAttribute('width'));
			const click = (el) => el.dispatchEvent(new MouseEvent('click', { bubbles: true }));
			const type = (words) => {
				const input = document.querySelector('foreignObject > *');
				input.value = words;
				input.dispatchEvent(new Event('input'));
			};
			try { $1 } catch (e) { out.push('threw ' + e); }
			document.documentElement.setAttribute('data-out', out.join(' '));
			]]></script>
			</svg>
		JS
	} >"$work/page.svg"
	timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --user-data-dir="$work/chromium" \
		--window-size=1280,900 --dump-dom "file://$work/page.svg" 2>/dev/null >"$work/dom"
	sed -n 's/.*data-out="\([^"]*\)".*/\1/p' "$work/dom" | head -n 1
}

equal "before and after a click, and reset" "$(run '
	const g = find("pcpu_alloc_noprof"), root = all[0], inner = width(root);
	out.push(width(g) < inner);
	click(g.querySelector("rect"));
	out.push(Math.abs(width(g) - inner) < 0.1, root.classList.contains("up"),
		location.hash.startsWith("#zoom="));
	click(document.getElementById("reset"));
	out.push(width(g) < inner, root.classList.contains("up"), location.hash === "");
')" "true true true true true false true"

equal "search" "$(run '
	type("pcpu_alloc_(noprof|nothing)");
	const hits = [...document.querySelectorAll(".hit title")].map((t) => t.textContent);
	out.push(hits.length > 0, hits.every((t) => t.startsWith("pcpu_alloc_noprof")));
	const all_of_it = document.getElementById("matched").textContent;
	out.push(/^Matched: (100\.0|[1-9][0-9]\.[0-9])%$/.test(all_of_it));
	type("");
	out.push(document.querySelectorAll(".hit").length, document.getElementById("matched").textContent === "");
	type("(");
')" "true true true 0 true"

# Labels never leave their frames, at any width.
equal "labels" "$(run '
	const over = [...all].filter((g) => !g.classList.contains("off") &&
		g.querySelector("text").textContent !== "" &&
		g.querySelector("text").getComputedTextLength() > width(g));
	out.push(over.length, document.documentElement.getAttribute("width"));
')" "0 1280"
