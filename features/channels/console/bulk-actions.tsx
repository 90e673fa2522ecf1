import { Suspense, useRef, useState } from 'react'
import { call, errorText, MATCHING_TIMEOUT_MS } from '#console/app/api/call.ts'
import type { ListSelection } from '#console/app/list/list-selection.ts'
import { SelectionBar, useMatchingRun } from '#console/app/list/matching.tsx'
import { runEach } from '#console/app/list/run-each.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import { CHANNEL_STATUS } from '#contract/enums.ts'
import { deleteMatchingChannels, updateMatchingChannels } from '../contract/channel-matching.ts'
import type { Channel, ChannelChange } from '../contract/channels.ts'
import type { BulkField } from './bulk-dialog.tsx'
import { useDialogText } from './dialog-text.ts'
import { type MatchingFilter, updateOne, useListMutations } from './queries.ts'

const bulkDialog = lazyPart(async () => (await import('./bulk-dialog.tsx')).BulkDialog)

interface BulkActionsProps {
  /** The channels of this page. */
  readonly channels: readonly Channel[]
  readonly filter: MatchingFilter
  readonly selection: ListSelection
  /** Refreshes the list and resolves to the number of channels that match. */
  readonly onRecount: () => Promise<number | undefined>
}

/** Replaces the filters while channels are selected. Channels that fail stay selected. */
export function BulkActions({ channels: listed, filter, selection, onRecount }: BulkActionsProps) {
  const t = useDialogText()
  const [field, setField] = useState<BulkField>()
  const { remove } = useListMutations()
  const bulk = useBulkChange(ids => selection.select(new Set(ids.map(String))))
  const matching = useMatchingRun(selection, onRecount)
  const channels = listed.filter(channel => selection.ids.has(String(channel.id)))
  const ids = channels.map(channel => channel.id)

  const change = (fields: Omit<ChannelChange, 'id'>, label: string, isConfirmed = false) => {
    if (!selection.isAll) return void bulk.run(channels, fields)
    const send = (count: number) => updateMatching(filter, count, fields)
    return void matching.run({ label, isConfirmed, send })
  }
  const removeAll = async () => {
    const label = t('delete')
    if (selection.isAll)
      return matching.run({ label, isDanger: true, send: count => deleteMatching(filter, count) })
    const title = t('deleteManyTitle', { count: ids.length })
    if (!(await confirm({ title, text: t('deleteManyText'), action: label, isDanger: true }))) return
    return remove.mutate(ids, {
      onSuccess: count => {
        toast('success', t('deletedMany', { count }))
        selection.clear()
      },
    })
  }

  return (
    <>
      <SelectionBar selection={selection}>
        {bulk.progress ? (
          <>
            <span role="status" className="tabular">
              {t('working', { done: bulk.progress.done, total: bulk.progress.total })}
            </span>
            <Button size="small" onClick={bulk.stop}>
              {t('stop')}
            </Button>
          </>
        ) : (
          <>
            <Button size="small" onClick={() => change({ status: CHANNEL_STATUS.enabled }, t('enable'))}>
              {t('enable')}
            </Button>
            <Button size="small" onClick={() => change({ status: CHANNEL_STATUS.disabled }, t('disable'))}>
              {t('disable')}
            </Button>
            <Button size="small" onClick={() => setField('tag')}>
              {t('setTag')}
            </Button>
            <Button size="small" onClick={() => setField('group')}>
              {t('setGroup')}
            </Button>
            <Button size="small" onClick={() => setField('priority')}>
              {t('setPriority')}
            </Button>
            <Button size="small" variant="danger-text" onClick={() => void removeAll()}>
              {t('delete')}
            </Button>
          </>
        )}
      </SelectionBar>
      {bulk.failures.length > 0 && !bulk.progress && (
        <ul
          className="mb-3 grid gap-1 rounded-card bg-danger-bg px-4 py-2.5 text-small text-danger"
          role="alert"
        >
          {bulk.failures.map(({ channel, error }) => (
            <li key={channel.id}>
              <span className="font-medium">{channel.name}</span> #{channel.id}: {errorText(error)}
            </li>
          ))}
        </ul>
      )}
      <Suspense fallback={null}>
        {field && (
          <bulkDialog.Part
            field={field}
            count={selection.count}
            ids={selection.isAll ? undefined : ids}
            onChange={(fields, label) => change(fields, label, true)}
            onDone={selection.clear}
            onClose={() => setField(undefined)}
          />
        )}
      </Suspense>
    </>
  )
}

const CONCURRENCY = 4

interface Failure {
  readonly channel: Channel
  readonly error: unknown
}

interface Progress {
  readonly done: number
  readonly total: number
}

/** Applies the same change to many channels, `CONCURRENCY` at a time. `onUnchanged` gets the ids that were not changed. */
function useBulkChange(onUnchanged: (ids: readonly number[]) => void) {
  const t = useDialogText()
  const { refreshAll } = useListMutations()
  const [progress, setProgress] = useState<Progress>()
  const [failures, setFailures] = useState<readonly Failure[]>([])
  const abortRef = useRef<AbortController>(undefined)

  const run = async (channels: readonly Channel[], fields: Omit<ChannelChange, 'id'>) => {
    const abort = new AbortController()
    const changed = new Set<number>()
    const failed: Failure[] = []
    abortRef.current = abort
    setFailures([])
    setProgress({ done: 0, total: channels.length })
    await runEach(channels, channel => updateOne({ id: channel.id, ...fields }), {
      concurrency: CONCURRENCY,
      signal: abort.signal,
      onSettled: (channel, error) => {
        if (error === undefined) changed.add(channel.id)
        else failed.push({ channel, error })
        setProgress({ done: changed.size + failed.length, total: channels.length })
      },
    })
    setProgress(undefined)
    setFailures(failed)
    onUnchanged(channels.map(channel => channel.id).filter(id => !changed.has(id)))
    toast(failed.length > 0 ? 'warning' : 'success', t('changedMany', { count: changed.size }))
    await refreshAll()
  }

  return { run, progress, failures, stop: () => abortRef.current?.abort() }
}

/* The calls are here rather than with those of the list, because they load with the first selection. */

/** Changes all channels that match, unless they are more than `count`. */
const updateMatching = (filter: MatchingFilter, count: number, fields: Omit<ChannelChange, 'id'>) =>
  call(updateMatchingChannels, {
    body: { filter, count, ...fields },
    timeoutMs: MATCHING_TIMEOUT_MS,
  })

/** Deletes all channels that match, unless they are more than `count`. */
const deleteMatching = (filter: MatchingFilter, count: number) =>
  call(deleteMatchingChannels, {
    body: { filter, count },
    timeoutMs: MATCHING_TIMEOUT_MS,
  })
