import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useUser } from '../../app/session/session.ts'
import { type ChatMessage, isStreaming, storedMessages, storeMessages, userMessage } from './chat-message.ts'
import { EMPTY_REQUEST_LOG, type RequestLog, runReply } from './reply-stream.ts'
import { toRequestBody } from './request.ts'
import type { Settings } from './settings.ts'

/** The messages of the conversation, the log of the last request, and the actions on them. */
export function useChat(settings: Settings) {
  const userId = useUser()?.id ?? 0
  const client = useQueryClient()
  const [messages, setMessages] = useState<readonly ChatMessage[]>(() => storedMessages(userId))
  const [requestLog, setRequestLog] = useState<RequestLog>(EMPTY_REQUEST_LOG)
  const abort = useRef<AbortController>(undefined)
  const isBusy = messages.some(isStreaming)

  useEffect(() => {
    if (!isBusy) storeMessages(userId, messages)
  }, [userId, messages, isBusy])
  useEffect(() => () => abort.current?.abort(), [])

  const requestReply = async (history: readonly ChatMessage[]) => {
    const controller = new AbortController()
    abort.current = controller
    await runReply({
      body: toRequestBody(settings, history),
      signal: controller.signal,
      onUpdate: (reply, log) => {
        setMessages([...history, reply])
        setRequestLog(log)
      },
    })
    // The reply was charged, so the balance has changed.
    await client.invalidateQueries({ queryKey: ['self'] })
  }

  const stop = useCallback(() => abort.current?.abort(), [])
  const before = (id: string) =>
    messages.slice(
      0,
      messages.findIndex(message => message.id === id),
    )
  return {
    messages,
    requestLog,
    isBusy,
    stop,
    send: (content: string) => void requestReply([...messages, userMessage(content)]),
    retry: (id: string) => void requestReply(before(id)),
    edit: (id: string, content: string) => void requestReply([...before(id), userMessage(content)]),
    remove: (id: string) => setMessages(messages.filter(message => message.id !== id)),
    clear: () => {
      stop()
      setMessages([])
      setRequestLog(EMPTY_REQUEST_LOG)
    },
  }
}

export type Chat = ReturnType<typeof useChat>
