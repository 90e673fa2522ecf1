import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { CallError } from '#console/app/api/call.ts'
import { LoadError } from '#console/app/api/load-error.tsx'
import { Banner, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { Sheet } from '#console/ui/overlays/sheet.tsx'
import type { Channel } from '../../contract/channels.ts'
import { channelQuery, typesQuery, useChannelTypes } from '../queries.ts'
import { type OpenSheet, useSheetNavigation } from '../search-params.ts'
import { ChannelForm } from './form.tsx'
import { useSheetText } from './text.ts'

interface ChannelSheetProps {
  readonly open: OpenSheet
  /** The page of the list, for the previous and the next channel. */
  readonly channels: readonly Channel[]
}

/** The sheet of `/channel/add` and `/channel/edit/7`. */
export function ChannelSheet({ open, channels }: ChannelSheetProps) {
  return open.mode === 'add' ? (
    <NewChannel />
  ) : (
    <ExistingChannel key={open.id} id={open.id} channels={channels} />
  )
}

function NewChannel() {
  const types = useChannelTypes()
  const providers = useQuery(typesQuery)
  if (!providers.data) return <PendingSheet failed={findFailed(providers)} />
  return <ChannelForm channel={undefined} types={types} />
}

interface ExistingChannelProps {
  readonly id: number
  readonly channels: readonly Channel[]
}

function ExistingChannel({ id, channels }: ExistingChannelProps) {
  const t = useSheetText()
  const navigation = useSheetNavigation()
  const types = useChannelTypes()
  const providers = useQuery(typesQuery)
  const found = useQuery(channelQuery(id))
  if (!found.data || !found.isFetchedAfterMount || !providers.data)
    return <PendingSheet failed={findFailed(found, providers)} />
  const index = channels.findIndex(channel => channel.id === id)
  const turnTo = (channel: Channel | undefined) => channel && (() => navigation.switchTo(channel.id))
  return (
    <ChannelForm
      channel={found.data}
      types={types}
      previousNext={
        index < 0
          ? undefined
          : {
              previous: turnTo(channels[index - 1]),
              next: turnTo(channels[index + 1]),
              previousLabel: t('previousChannel'),
              nextLabel: t('nextChannel'),
            }
      }
    />
  )
}

const findFailed = (...queries: readonly UseQueryResult[]) => queries.find(query => query.error !== null)

interface PendingSheetProps {
  /** The query that failed; undefined while loading. */
  readonly failed: UseQueryResult | undefined
}

/** The sheet while the channel is loading, or when it cannot be loaded. */
function PendingSheet({ failed }: PendingSheetProps) {
  const t = useSheetText()
  const navigation = useSheetNavigation()
  const error = failed?.error
  const isNotFound = error instanceof CallError && error.failure === 'refused'
  return (
    <Sheet title={t('title')} width="wide" onClose={navigation.close}>
      {isNotFound ? (
        <Banner tone="danger" isAlert>
          {t('notFound')}
        </Banner>
      ) : failed ? (
        <LoadError error={error} isBusy={failed.isFetching} onRetry={() => void failed.refetch()} />
      ) : (
        <div className="grid gap-6" aria-busy>
          {['type', 'name', 'address', 'key', 'models'].map(part => (
            <div key={part} className="grid gap-2">
              <Skeleton className="h-4 w-24" />
              <Skeleton className="h-9 w-full" />
            </div>
          ))}
        </div>
      )}
    </Sheet>
  )
}
