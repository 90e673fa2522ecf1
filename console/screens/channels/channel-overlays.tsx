import { Suspense } from 'react'
import type { Channel } from '#contract/channels.ts'
import { useUrlState } from '../../app/url-state.ts'
import { channelSheet, routeDialog, tagSheet, testDialog } from './lazy-parts.ts'
import { useOpenSheet } from './place.ts'
import { ChannelSearch } from './search.ts'

interface ChannelOverlaysProps {
  /** The page behind. */
  readonly channels: readonly Channel[]
}

/** What the address opens over the list. */
export function ChannelOverlays({ channels }: ChannelOverlaysProps) {
  const { test, tag, tagmode, preview } = useUrlState(ChannelSearch)
  const open = useOpenSheet()
  const tagSize = tagmode === '1' ? channels.filter(channel => channel.tag === tag).length : undefined
  return (
    <Suspense fallback={null}>
      {open && <channelSheet.Part open={open} channels={channels} />}
      {preview === '1' && !open && <routeDialog.Part />}
      {test !== '' && <testDialog.Part id={Number(test)} />}
      {tag !== '' && <tagSheet.Part key={tag} tag={tag} size={tagSize} />}
    </Suspense>
  )
}
