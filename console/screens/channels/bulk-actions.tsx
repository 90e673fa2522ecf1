import { Suspense, useState } from 'react'
import type { Channel, ChannelChange } from '#contract/channels.ts'
import { errorText } from '../../app/call-error.ts'
import { BulkBar } from '../../ui/bulk-bar.tsx'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { lazyPart } from '../../ui/lazy-part.ts'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import type { BulkField } from './bulk-field.ts'
import { overText } from './over-text.ts'
import { useListWrites } from './queries.ts'
import { useBulkChange } from './use-bulk-change.ts'

const bulkDialog = lazyPart(async () => (await import('./bulk-dialog.tsx')).BulkDialog)

interface BulkActionsProps {
  readonly channels: readonly Channel[]
  readonly onSelect: (ids: readonly number[]) => void
}

/** Stands in place of the filters while channels are selected. What failed stays selected. */
export function BulkActions({ channels, onSelect }: BulkActionsProps) {
  const t = useText(overText)
  const [field, setField] = useState<BulkField>()
  const { remove } = useListWrites()
  const bulk = useBulkChange(onSelect)
  const ids = channels.map(channel => channel.id)

  const change = (fields: Omit<ChannelChange, 'id'>) => void bulk.run(channels, fields)
  const removeAll = async () => {
    const title = t('deleteManyTitle', { count: ids.length })
    if (!(await confirm({ title, text: t('deleteManyText'), action: t('delete'), isDanger: true }))) return
    remove.mutate(ids, {
      onSuccess: count => {
        toast('success', t('deletedMany', { count }))
        onSelect([])
      },
    })
  }

  return (
    <>
      <BulkBar count={ids.length} onClear={() => onSelect([])}>
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
            <Button size="small" onClick={() => change({ status: 1 })}>
              {t('enable')}
            </Button>
            <Button size="small" onClick={() => change({ status: 2 })}>
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
            <Button size="small" look="danger-text" onClick={() => void removeAll()}>
              {t('delete')}
            </Button>
          </>
        )}
      </BulkBar>
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
            ids={ids}
            onChange={change}
            onDone={() => onSelect([])}
            onClose={() => setField(undefined)}
          />
        )}
      </Suspense>
    </>
  )
}
