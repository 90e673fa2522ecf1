import type { PlainRoute } from '#server/api/plain-route.ts'
import { defineFeature, type Services } from '#server/feature.ts'
import { createOpenApiDocument } from './openapi.ts'
import { pageRoutes } from './page.ts'

export const feature = defineFeature({
  start: services => ({ plainRoutes: [createDocumentRoute(services), ...pageRoutes] }),
})

/** The OpenAPI document of all endpoints, created on first use. */
function createDocumentRoute({ endpoints, installation }: Services): PlainRoute {
  let document: string | undefined
  return {
    method: 'GET',
    path: '/api/openapi.json',
    async respond({ basePath }) {
      document ??= JSON.stringify(createOpenApiDocument(endpoints(), installation.version))
      return jsonResponse(basePath === '' ? document : withServer(document, basePath))
    },
  }
}

const withServer = (document: string, url: string): string =>
  `{"servers":${JSON.stringify([{ url }])},${document.slice(1)}`

/** Its length is stated, because only then a large response is compressed. */
const jsonResponse = (text: string): Response =>
  new Response(text, {
    headers: { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) },
  })
