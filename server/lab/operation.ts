import type { z } from 'zod'
import type { FailureKind, FaultPlan } from './fault-plan.ts'
import type { PlaybookRequest } from './playbook-request.ts'

/** An endpoint of a provider's API that the lab serves. */
export interface LabOperation {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Matches the end of the path. Its first group, if any, is the model. */
  readonly path: RegExp
  readonly provider: LabProvider
  /** Whether the response changes with time and must not be cached. */
  readonly isLive?: boolean
  /** Tells apart two providers that share a path. Absent when the path is unique. */
  isFor?(request: Request): boolean
  /** Whether the URL requests a stream. Absent when the body does. */
  wantsStream?(url: URL): boolean
  /** Parses the body: undefined for GET; for a form its text fields, and each file as its name and size. */
  read(body: unknown, target: OperationTarget): z.ZodSafeParseResult<LabRequest>
}

/** The parameters that the URL carries. */
export interface OperationTarget {
  /** The model in the path; empty when it has none. */
  readonly model: string
  readonly isStream: boolean
  /** The key of the request. What a provider keeps for an account is bound to it. */
  readonly account: string
  /** The lab's own base URL, with everything in front of the operation's path. */
  readonly baseUrl: string
}

/** A valid request. */
export interface LabRequest {
  readonly model: string
  /** The text of the last user message, which may contain a `[lab: …]` marker. */
  readonly lastText: string
  readonly isStream: boolean
  /** The playbook that the conversation asks for. */
  readonly playbook?: PlaybookRequest | undefined
  /** Why the provider refuses a request whose fields have the right types. Skipped with the fault `lenient`. */
  findProblem?(): RequestProblem | undefined
  reply(faultPlan: FaultPlan): OperationReply
}

/** The error of a refused request; 400 by default. */
export interface RequestProblem {
  readonly message: string
  readonly status?: number
  /** OpenAI's field and code. */
  readonly param?: string
  readonly code?: string
}

/** A response in the provider's format. */
export interface OperationReply {
  json(): unknown
  /** The body of a response that is not JSON. */
  content?(): { readonly contentType: string; readonly text: string }
  /** Absent when the operation cannot stream. */
  frames?(): Iterable<ResponseFrame>
}

/** One event of a streamed response, serialized. */
export interface ResponseFrame {
  readonly text: string
  /** `token` carries one output token, and `end` is the provider's end-of-stream marker. */
  readonly kind: 'token' | 'end' | 'other'
}

/** A provider's authentication and error format. */
export interface LabProvider {
  key(request: Request): string | undefined
  /** Returns the problem with the headers, for providers that require some. */
  headerProblem?(request: Request): string | undefined
  /** `status` and `message` override the provider's defaults for the kind. */
  error(kind: FailureKind, detail: Partial<RequestProblem>): ProviderError
  /** Serializes an error inside a stream. */
  errorFrame(providerError: ProviderError): string
}

export interface ProviderError {
  readonly status: number
  readonly body: unknown
}

/** Defines a GET operation whose response depends only on the path. */
export const fixedOperation = (
  provider: LabProvider,
  path: RegExp,
  body: (model: string) => unknown,
): LabOperation => ({
  method: 'GET',
  path,
  provider,
  read: (_, target) => ({
    success: true,
    data: { ...target, lastText: '', reply: () => ({ json: () => body(target.model) }) },
  }),
})
