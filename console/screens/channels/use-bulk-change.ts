import { useRef, useState } from 'react'
import type { Channel, ChannelChange } from '#contract/channels.ts'
import { runEach } from '../../ui/run-each.ts'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { changeOne } from './over-queries.ts'
import { overText } from './over-text.ts'
import { useListWrites } from './queries.ts'

const AT_ONCE = 4

interface Failure {
  readonly channel: Channel
  readonly error: unknown
}

interface Progress {
  readonly done: number
  readonly total: number
}

/** Makes the same change to many channels, four at a time. `onLeft` gets the ids that were not changed. */
export function useBulkChange(onLeft: (ids: readonly number[]) => void) {
  const t = useText(overText)
  const { refreshAll } = useListWrites()
  const [progress, setProgress] = useState<Progress>()
  const [failures, setFailures] = useState<readonly Failure[]>([])
  const stopper = useRef<AbortController>(undefined)

  const run = async (channels: readonly Channel[], fields: Omit<ChannelChange, 'id'>) => {
    const stopping = new AbortController()
    const changed = new Set<number>()
    const failed: Failure[] = []
    stopper.current = stopping
    setFailures([])
    setProgress({ done: 0, total: channels.length })
    await runEach(channels, channel => changeOne({ id: channel.id, ...fields }), {
      atOnce: AT_ONCE,
      signal: stopping.signal,
      onSettled: (channel, error) => {
        if (error === undefined) changed.add(channel.id)
        else failed.push({ channel, error })
        setProgress({ done: changed.size + failed.length, total: channels.length })
      },
    })
    setProgress(undefined)
    setFailures(failed)
    onLeft(channels.map(channel => channel.id).filter(id => !changed.has(id)))
    toast(failed.length > 0 ? 'warning' : 'success', t('changedMany', { count: changed.size }))
    await refreshAll()
  }

  return { run, progress, failures, stop: () => stopper.current?.abort() }
}
