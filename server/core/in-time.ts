import { setDeadline } from './deadlines.ts'

/** What is awaited, unless it takes too long: then it rejects, and what comes later is heard by nobody. */
export async function inTime<Value>(ms: number, pending: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>()
  const deadline = setDeadline(ms, () => late.reject(new Error(`no answer within ${ms} ms`)))
  try {
    return await Promise.race([pending, late.promise])
  } finally {
    deadline.drop()
  }
}
