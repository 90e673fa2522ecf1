import type { JsonObject } from './chat.ts'
import { textOf } from './json.ts'

/** Documents put in the order of how well they answer a query. Source: api.jina.ai/redoc, docs.cohere.com/reference/rerank */
export interface RerankBody extends JsonObject {
  readonly model: string
  readonly query: string
  readonly documents: readonly RerankDocument[]
  readonly top_n?: number | null
  readonly return_documents?: boolean | null
}

export type RerankDocument = string | JsonObject

export interface RerankReply {
  readonly model?: string | undefined
  readonly results: readonly RerankResult[]
}

export interface RerankResult {
  /** Of the document in the request. */
  readonly index: number
  readonly score: number
  /** As the vendor gave it back. */
  readonly document?: RerankDocument | undefined
}

/** A document as text; an object without a text as JSON. */
export const documentText = (document: RerankDocument): string =>
  typeof document === 'string' ? document : (textOf(document.text) ?? JSON.stringify(document))
