import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useUser } from '../../app/session/session.ts'
import { buildBody } from './build-body.ts'
import { type Exchange, NO_EXCHANGE } from './exchange.ts'
import { runAnswer } from './run-answer.ts'
import type { Settings } from './settings.ts'
import { keepChat, storedChat } from './stored-chat.ts'
import { isUnderWay, questionOf, type Turn } from './turn.ts'

/** A conversation: what was said, and what can be done with it. */
export function useChat(settings: Settings) {
  const userId = useUser()?.id ?? 0
  const client = useQueryClient()
  const [turns, setTurns] = useState<readonly Turn[]>(() => storedChat(userId))
  const [exchange, setExchange] = useState<Exchange>(NO_EXCHANGE)
  const abort = useRef<AbortController>(undefined)
  const isBusy = turns.some(isUnderWay)

  useEffect(() => {
    if (!isBusy) keepChat(userId, turns)
  }, [userId, turns, isBusy])
  useEffect(() => () => abort.current?.abort(), [])

  const answer = async (asked: readonly Turn[]) => {
    const body = buildBody(settings, asked)
    const controller = new AbortController()
    abort.current = controller
    const show = (turn: Turn, sent: Exchange) => {
      setTurns([...asked, turn])
      setExchange(sent)
    }
    await runAnswer({ body, signal: controller.signal, show })
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
    send: (content: string) => void answer([...turns, questionOf(content)]),
    retry: (id: string) => void answer(before(id)),
    edit: (id: string, content: string) => void answer([...before(id), questionOf(content)]),
    remove: (id: string) => setTurns(turns.filter(turn => turn.id !== id)),
    clear: () => {
      stop()
      setTurns([])
      setExchange(NO_EXCHANGE)
    },
  }
}

export type Chat = ReturnType<typeof useChat>
