import type { Operation, Vendor } from './operation.ts'

/** A call without a body: its answer depends on the path alone. */
export const fixedOperation = (
  vendor: Vendor,
  path: RegExp,
  body: (model: string) => unknown,
): Operation => ({
  method: 'GET',
  path,
  vendor,
  read: (_, target) => ({
    success: true,
    data: { ...target, lastText: '', reply: () => ({ whole: () => body(target.model) }) },
  }),
})
