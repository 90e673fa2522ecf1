import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { Channel } from '#contract/channels.ts'
import { CallError } from '../../../app/call-error.ts'
import { LoadError } from '../../../app/load-error.tsx'
import { Banner } from '../../../ui/banner.tsx'
import { Sheet } from '../../../ui/sheet.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { useText } from '../../../ui/text.ts'
import { channelQuery } from '../over-queries.ts'
import { type OpenSheet, usePlace } from '../place.ts'
import { typesQuery, useTypes } from '../queries.ts'
import { ChannelForm } from './channel-form.tsx'
import { sheetText } from './sheet-text.ts'

interface ChannelSheetProps {
  readonly open: OpenSheet
  /** The page behind: its channels are the neighbours. */
  readonly channels: readonly Channel[]
}

/** The sheet of `/channel/add` and `/channel/edit/7`. */
export function ChannelSheet({ open, channels }: ChannelSheetProps) {
  return open.mode === 'add' ? (
    <NewChannel />
  ) : (
    <StoredChannel key={open.id} id={open.id} channels={channels} />
  )
}

function NewChannel() {
  const types = useTypes()
  const vendors = useQuery(typesQuery)
  if (!vendors.data) return <WaitingSheet failed={failedOf(vendors)} />
  return <ChannelForm channel={undefined} types={types} />
}

interface StoredChannelProps {
  readonly id: number
  readonly channels: readonly Channel[]
}

function StoredChannel({ id, channels }: StoredChannelProps) {
  const t = useText(sheetText)
  const place = usePlace()
  const types = useTypes()
  const vendors = useQuery(typesQuery)
  const found = useQuery(channelQuery(id))
  if (!found.data || !found.isFetchedAfterMount || !vendors.data)
    return <WaitingSheet failed={failedOf(found, vendors)} />
  const index = channels.findIndex(channel => channel.id === id)
  const turnTo = (channel: Channel | undefined) => channel && (() => place.turnTo(channel.id))
  return (
    <ChannelForm
      channel={found.data}
      types={types}
      neighbours={
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

const failedOf = (...queries: readonly UseQueryResult[]) => queries.find(query => query.error !== null)

interface WaitingSheetProps {
  /** What did not come. */
  readonly failed: UseQueryResult | undefined
}

/** While the channel is on its way, or when there is none. */
function WaitingSheet({ failed }: WaitingSheetProps) {
  const t = useText(sheetText)
  const place = usePlace()
  const error = failed?.error
  const isRefused = error instanceof CallError && error.failure === 'refused'
  return (
    <Sheet title={t('title')} width="wide" onClose={place.close}>
      {isRefused ? (
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
