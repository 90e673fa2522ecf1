import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useUser } from '../../app/session/session.ts'
import { toRequestBody } from './request.ts'
import { type RequestLog, EMPTY_REQUEST_LOG, runReply } from './reply-stream.ts'
import type { Settings } from './settings.ts'
import { isStreaming, userMessage, type ChatMessage, storeMessages, storedMessages } from './chat-message.ts'

/** A conversation: what was said, and what can be done with it. */
export function useChat(settings: Settings) {
  const userId = useUser()?.id ?? 0
  const client = useQueryClient()
  const [turns, setTurns] = useState<readonly ChatMessage[]>(() => storedMessages(userId))
  const [exchange, setExchange] = useState<RequestLog>(EMPTY_REQUEST_LOG)
  const abort = useRef<AbortController>(undefined)
  const isBusy = turns.some(isStreaming)

  useEffect(() => {
    if (!isBusy) storeMessages(userId, turns)
  }, [userId, turns, isBusy])
  useEffect(() => () => abort.current?.abort(), [])

  const answer = async (asked: readonly ChatMessage[]) => {
    const body = toRequestBody(settings, asked)
    const controller = new AbortController()
    abort.current = controller
    const show = (turn: ChatMessage, sent: RequestLog) => {
      setTurns([...asked, turn])
      setExchange(sent)
    }
    await runReply({ body, signal: controller.signal, show })
    await client.invalidateQueries({ queryKey: ['self'] })
  }

  const stop = useCallback(() => abort.current?.abort(), [])
  const before = (id: string) =>
    turns.slice(
      0,
      turns.findIndex(turn => turn.id === id),
    )
  return {
    turns,
    exchange,
    isBusy,
    stop,
    send: (content: string) => void answer([...turns, userMessage(content)]),
    retry: (id: string) => void answer(before(id)),
    edit: (id: string, content: string) => void answer([...before(id), userMessage(content)]),
    remove: (id: string) => setTurns(turns.filter(turn => turn.id !== id)),
    clear: () => {
      stop()
      setTurns([])
      setExchange(EMPTY_REQUEST_LOG)
    },
  }
}

export type Chat = ReturnType<typeof useChat>
