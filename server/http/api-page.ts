import type { AnyEndpoint } from '#contract/endpoint.ts'

/** A readable page of the management API: plain HTML, nothing loaded from anywhere. `document` is its OpenAPI form. */
export function apiPageOf(
  endpoints: readonly AnyEndpoint[],
  document: Readonly<Record<string, unknown>>,
): string {
  const areas = Map.groupBy(endpoints, ({ path }) => path.split('/')[2] ?? '')
  const sections = [...areas]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([area, calls]) => section(area, calls, document))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tollgate management API</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Tollgate management API</h1>
<p>Every answer is an envelope <code>{"success", "message", "data"}</code>. A refusal has <code>success: false</code>,
a stable <code>code</code> and HTTP 200; only "not signed in" is 401. Sign in by cookie, or send a system access token in
<code>Authorization</code>; either way send your user id in <code>New-Api-User</code>.
For machines: <a href="/api/openapi.json">openapi.json</a>.</p>
${sections.join('\n')}
</main>
</body>
</html>`
}

const section = (
  area: string,
  calls: readonly AnyEndpoint[],
  document: Readonly<Record<string, unknown>>,
): string =>
  `<section><h2>${htmlOf(area)}</h2>${calls.map(call => details(call, document)).join('')}</section>`

function details(
  { method, path, role, summary }: AnyEndpoint,
  document: Readonly<Record<string, unknown>>,
): string {
  const operation = operationAt(document, path.replace(/:(\w+)/g, '{$1}'), method.toLowerCase())
  return `<details><summary><b>${method}</b> <code>${htmlOf(path)}</code> <span>${htmlOf(summary)}</span> <i>${role}</i></summary>
<pre>${htmlOf(JSON.stringify(operation, null, 2))}</pre></details>`
}

function operationAt(document: Readonly<Record<string, unknown>>, ...keys: readonly string[]): unknown {
  return ['paths', ...keys].reduce<unknown>(
    (found, key) => (typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined),
    document,
  )
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const htmlOf = (text: string): string => text.replace(/[&<>"]/g, letter => ENTITIES[letter] ?? letter)

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { margin: 0; padding: 2rem 1rem; background: Canvas; color: CanvasText }
main { max-width: 60rem; margin: auto }
h2 { margin: 2rem 0 .5rem; font-size: 1.1rem }
details { border-top: 1px solid color-mix(in srgb, CanvasText 15%, transparent) }
summary { padding: .5rem 0; cursor: pointer }
summary b { display: inline-block; width: 4.5rem; font-size: .8rem }
summary span, summary i { opacity: .75; margin-left: .5rem }
pre { overflow: auto; padding: 1rem; border-radius: .5rem; background: color-mix(in srgb, CanvasText 6%, transparent) }`
