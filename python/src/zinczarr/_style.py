"""The look of everything that Jupyter shows: one style, no script, colours that suit light and dark pages."""

from __future__ import annotations

_STYLE = """<style>
.zinc{font-family:system-ui,-apple-system,"Segoe UI",sans-serif;font-size:13px;line-height:1.5;color:inherit}
.zinc code,.zinc .zinc-mono{font-family:ui-monospace,Menlo,"DejaVu Sans Mono",monospace;font-size:12px;
background:none;color:inherit;padding:0}
.zinc-head{font-weight:600;margin:0 0 6px;padding-bottom:4px;border-bottom:1px solid rgba(128,128,128,.35)}
.zinc-dim{opacity:.65;font-weight:400}
.zinc-bad{color:#e5534b}
.zinc-cols{display:flex;flex-wrap:wrap;gap:28px;align-items:flex-start}
.zinc table{border-collapse:collapse;margin:0;border:none;font-size:13px}
.zinc table td,.zinc table th{text-align:left!important;padding:2px 14px 2px 0;border:none;background:none;
vertical-align:top;max-width:520px;overflow-wrap:anywhere}
.zinc table th{font-weight:500;opacity:.65;white-space:nowrap}
.zinc table tr{background:none!important}
.zinc details{margin:0}
.zinc summary{cursor:pointer}
.zinc ul{list-style:none;margin:0 0 0 8px;padding:0 0 0 14px;border-left:1px solid rgba(128,128,128,.35)}
.zinc li{margin:0;padding:1px 0}
.zinc-leaf{padding-left:14px}
.zinc-picture text{fill:currentColor;font-size:11px;opacity:.75;stroke:none}
.zinc-face,.zinc-top,.zinc-side{fill:currentColor;stroke:none;fill-opacity:.05}
.zinc-top{fill-opacity:.10}.zinc-side{fill-opacity:.15}
.zinc-stored{fill:#3b8ea5;stroke:none}
.zinc-edge{fill:none;stroke:currentColor;stroke-width:1.4}
.zinc-top,.zinc-side{stroke:currentColor;stroke-width:1}
.zinc-chunk{stroke:currentColor;stroke-width:.6;stroke-opacity:.45}
.zinc-object{stroke:currentColor;stroke-width:1.2;stroke-opacity:.85}
.zinc-key{display:inline-block;width:10px;height:10px;background:#3b8ea5;margin-right:5px}
.zinc thead th{border-bottom:1px solid rgba(128,128,128,.35)}
.zinc .zinc-bars{display:block;margin-top:6px;fill:#3b8ea5}
</style>"""


def page(body: str) -> str:
    """A piece of HTML with the style that it needs."""
    return f'<div class="zinc">{_STYLE}{body}</div>'
