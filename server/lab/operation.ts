import type { z } from 'zod'
import type { FailureKind, FaultPlan } from './fault-plan.ts'

/** One piece of a streamed answer as it goes over the wire. */
export interface ResponseFrame {
  readonly text: string
  /** `token` carries one output token; `end` is the vendor's end of stream; all else is `other`. */
  readonly kind: 'token' | 'end' | 'other'
}

/** An answer in one vendor's shape. */
export interface OperationReply {
  json(): unknown
  /** The whole answer where it is no JSON. */
  content?(): { readonly contentType: string; readonly text: string }
  /** Absent where the operation has no streamed form. */
  frames?(): Iterable<ResponseFrame>
}

/** A request that was understood. */
export interface LabRequest {
  readonly model: string
  /** What the user said last; may hold a `[lab: …]` marker. */
  readonly lastText: string
  readonly isStream: boolean
  reply(faultPlan: FaultPlan): OperationReply
}

/** What the path of a request says. */
export interface OperationTarget {
  /** The model in the path, else empty. */
  readonly model: string
  readonly isStream: boolean
  /** Where the lab stands, with everything before the operation's own path. */
  readonly address: string
}

export interface VendorError {
  readonly status: number
  readonly body: unknown
}

/** How one vendor refuses and recognises a key. */
export interface LabVendor {
  key(request: Request): string | undefined
  /** What is wrong with the headers, where the vendor is strict about them. */
  headerProblem?(request: Request): string | undefined
  /** `status` and `message` are used where the kind does not fix them. */
  error(kind: FailureKind, detail: { readonly status?: number; readonly message?: string }): VendorError
  /** A refusal's body as a frame inside a stream. */
  errorFrame(vendorError: VendorError): string
}

/** One call that the lab answers. */
export interface LabOperation {
  readonly method: 'GET' | 'POST'
  /** Matches the end of the path. The first group, where there is one, is the model. */
  readonly path: RegExp
  readonly vendor: LabVendor
  /** What it answers changes with time: it is never answered from memory. */
  readonly isLive?: boolean
  /** Tells apart two vendors with one path. Absent: the path is enough. */
  isFor?(request: Request): boolean
  /** Says whether the address asks for a stream; absent where the body says it. */
  asksForStream?(url: URL): boolean
  /** `body` is undefined for GET; of a form it holds the texts, and of each file its name and size. */
  read(body: unknown, target: OperationTarget): z.ZodSafeParseResult<LabRequest>
}

/** A call without a body: its answer depends on the path alone. */
export const fixedOperation = (
  vendor: LabVendor,
  path: RegExp,
  body: (model: string) => unknown,
): LabOperation => ({
  method: 'GET',
  path,
  vendor,
  read: (_, target) => ({
    success: true,
    data: { ...target, lastText: '', reply: () => ({ json: () => body(target.model) }) },
  }),
})
