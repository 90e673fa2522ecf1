import stylesPath from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import scriptPath from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import { OPENER_POLICY, pageHeaders } from './response-headers.ts'

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

const FILES = {
  'swagger-ui.js': { path: scriptPath, type: 'text/javascript; charset=utf-8' },
  'swagger-ui.css': { path: stylesPath, type: 'text/css; charset=utf-8' },
} as const

export type ApiReferenceFile = keyof typeof FILES
export const API_REFERENCE_FILES: readonly ApiReferenceFile[] = ['swagger-ui.js', 'swagger-ui.css']

/** The same strict policy as for the console's pages: the only inline script is allowed by its hash. */
const HEADERS = pageHeaders({
  scriptHashes: [`sha256-${new Bun.CryptoHasher('sha256').update(INIT_SCRIPT).digest('base64')}`],
  frames: [],
  forms: [],
  widgets: [],
})

export const apiReferencePage = (basePath: string): Response =>
  new Response(PAGE.replaceAll('="/', `="${basePath}/`), {
    headers: { ...HEADERS, ...OPENER_POLICY, 'content-type': 'text/html; charset=utf-8' },
  })

/** A file of Swagger UI. It may be cached for a day, since its name has no version. */
export const apiReferenceFile = (name: ApiReferenceFile): Response =>
  new Response(Bun.file(FILES[name].path), {
    headers: { ...HEADERS, 'content-type': FILES[name].type, 'cache-control': 'public, max-age=86400' },
  })
