import stylesPath from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import scriptPath from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import { OPENER_POLICY, pageHeaders } from '#server/api/page-headers.ts'
import type { PlainRoute } from '#server/api/plain-route.ts'

/**
 * The API reference: Swagger UI over `/api/openapi.json`. It consists of two self-contained files, which are served from
 * here and embedded in the executable. Its validator badge, which would send the document to another host, is off. (The
 * package's only dependency, @scarf/scarf, counts installations in an install script, which `.npmrc` turns off.)
 */
const INIT_SCRIPT = `SwaggerUIBundle({
  url: new URL('../openapi.json', document.scripts[0].src).href,
  dom_id: '#reference',
  validatorUrl: null,
  deepLinking: true,
  filter: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
})`

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tollgate management API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/api/docs/swagger-ui.css">
</head>
<body>
<noscript><p>This page needs JavaScript. The document itself is at <a href="/api/openapi.json">openapi.json</a>.</p></noscript>
<main id="reference"></main>
<script src="/api/docs/swagger-ui.js"></script>
<script>${INIT_SCRIPT}</script>
</body>
</html>`

/** The same strict policy as for the console's pages: the only inline script is allowed by its hash. */
const HEADERS = pageHeaders({
  scriptHashes: [`sha256-${new Bun.CryptoHasher('sha256').update(INIT_SCRIPT).digest('base64')}`],
  frames: [],
  forms: [],
  widgets: [],
})

export const pageRoutes: readonly PlainRoute[] = [
  {
    method: 'GET',
    path: '/api/docs',
    respond: async ({ basePath }) =>
      new Response(PAGE.replaceAll('="/', `="${basePath}/`), {
        headers: { ...HEADERS, ...OPENER_POLICY, 'content-type': 'text/html; charset=utf-8' },
      }),
  },
  fileRoute('swagger-ui.js', scriptPath, 'text/javascript; charset=utf-8'),
  fileRoute('swagger-ui.css', stylesPath, 'text/css; charset=utf-8'),
]

/** A file of Swagger UI. It may be cached for a day, since its name has no version. */
function fileRoute(name: string, file: string, type: string): PlainRoute {
  const headers = { ...HEADERS, 'content-type': type, 'cache-control': 'public, max-age=86400' }
  return {
    method: 'GET',
    path: `/api/docs/${name}`,
    async respond() {
      const content = Bun.file(file)
      return new Response(content, { headers: { ...headers, 'content-length': String(content.size) } })
    },
  }
}
