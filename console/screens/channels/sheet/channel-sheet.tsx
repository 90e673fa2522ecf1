import { useQuery } from '@tanstack/react-query'
import type { Channel } from '#contract/channels.ts'
import { CallError, errorText } from '../../../app/call-error.ts'
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
  const { isPending, error } = useQuery(typesQuery)
  if (isPending || error) return <WaitingSheet error={error} />
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
  const error = found.error ?? vendors.error
  if (!found.data || !found.isFetchedAfterMount || vendors.isPending) return <WaitingSheet error={error} />
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

/** While the channel is on its way, or when there is none. */
function WaitingSheet({ error }: { readonly error: unknown }) {
  const t = useText(sheetText)
  const place = usePlace()
  const isRefused = error instanceof CallError && error.failure === 'refused'
  return (
    <Sheet title={t('title')} width="wide" onClose={place.close}>
      {error ? (
        <Banner tone="danger" isAlert>
          {isRefused ? t('notFound') : errorText(error)}
        </Banner>
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
