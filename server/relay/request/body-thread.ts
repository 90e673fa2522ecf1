import { parentPort } from 'node:worker_threads'
import { errorTexts, GatewayError } from '../../core/errors.ts'
import { createJsonBodyParser, type JsonBodyParser } from '../../core/json/json.ts'
import { yieldToMainThread } from '../../core/thread-priority.ts'
import type { BodyCommand, BodyReply, CommandResult } from './large-body.ts'

const parsers = new Map<number, JsonBodyParser>()

parentPort?.on('message', (command: BodyCommand) => {
  const reply = execute(command)
  parentPort?.postMessage(reply ?? ({ isTaken: true } satisfies CommandResult))
  if (!reply && command.type !== 'drop') return
  parsers.delete(command.id)
  // Its copies would stay until those of several other bodies fill the heap.
  Bun.gc(true)
})

yieldToMainThread()

/** Undefined as long as more of the body is to come. */
function execute(command: BodyCommand): BodyReply | undefined {
  const { id, type } = command
  try {
    if (type === 'begin') parsers.set(id, createJsonBodyParser(command.limits))
    // A body that has failed has no parser any more.
    if (type === 'piece') parsers.get(id)?.push(command.text)
    const json = type === 'end' ? parsers.get(id)?.separate() : undefined
    return json && { id, ...json }
  } catch (error) {
    return { id, code: error instanceof GatewayError ? error.code : 'internal_error', ...errorTexts(error) }
  }
}
