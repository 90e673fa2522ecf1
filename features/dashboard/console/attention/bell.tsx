import { useLocation } from '@tanstack/react-router'
import { Bell } from 'lucide-react'
import { useEffect, useState } from 'react'
import { z } from 'zod'
import { ScreenLink } from '#console/app/list/record-link.tsx'
import { readStoredJson, writeStoredJson } from '#console/app/preferences/local-store.ts'
import { PopoverButton } from '#console/ui/buttons/popup-buttons.tsx'
import { classes, iconButtonClasses } from '#console/ui/class-names.ts'
import { createStore, useStore } from '#console/ui/store.ts'
import type { Concern } from './attention.ts'
import { NoConcerns } from './attention-panel.tsx'
import { useAttentionText } from './attention-text.ts'
import { useBellText } from './bell-text.ts'
import { ConcernList } from './concern-list.tsx'
import { useConcerns } from './concerns.ts'

const SHOWN_MAX = 9

/** Keys of the concerns that were seen in this browser. */
const read = createStore<readonly string[]>(
  z.array(z.string()).catch([]).parse(readStoredJson('read-concerns')),
)

function setRead(keys: readonly string[]): void {
  if (keys.join('\n') === read.get().join('\n')) return
  writeStoredJson('read-concerns', keys)
  read.set(keys)
}

/** The bell of operators: how many concerns they have not seen yet, and all of them in a popover. */
export function AttentionBell() {
  const t = useBellText()
  const { concerns, isChecked } = useConcerns()
  const { href } = useLocation()
  const seen = useStore(read)
  const over = isChecked ? seen.filter(key => !concerns.some(concern => concern.key === key)) : []
  const isOver = over.length > 0
  // What is over and comes back is news again.
  useEffect(() => {
    if (isOver) setRead(read.get().filter(key => concerns.some(concern => concern.key === key)))
  }, [isOver, concerns])
  if (!isChecked) return null
  const unread = concerns.filter(({ key }) => !seen.includes(key))
  const hasDanger = unread.some(({ tone }) => tone === 'danger')
  return (
    <PopoverButton
      // Following a link of the popover closes it.
      key={href}
      label={unread.length > 0 ? t('bellUnread', { count: unread.length }) : t('bell')}
      hasTooltip
      className={classes(iconButtonClasses(), 'relative')}
      content={
        <>
          <Bell size={18} aria-hidden />
          {unread.length > 0 && (
            <span
              aria-hidden
              className={classes(
                'absolute top-0.5 right-0 min-w-4 rounded-full px-1 text-center text-[11px] leading-4 font-semibold tabular',
                hasDanger ? 'bg-danger-solid text-on-danger' : 'bg-primary text-on-primary',
              )}
            >
              {unread.length > SHOWN_MAX ? `${SHOWN_MAX}+` : unread.length}
            </span>
          )}
        </>
      }
    >
      {() => <BellPanel concerns={concerns} unread={unread.map(({ key }) => key)} />}
    </PopoverButton>
  )
}

interface BellPanelProps {
  readonly concerns: readonly Concern[]
  readonly unread: readonly string[]
}

/** Opening it is reading it; what was unread stays marked until it closes. */
function BellPanel({ concerns, unread }: BellPanelProps) {
  const t = useAttentionText()
  const b = useBellText()
  const [marked] = useState(() => new Set(unread))
  useEffect(() => setRead(concerns.map(({ key }) => key)), [concerns])
  return (
    <section aria-label={t('attention')} className="w-100 max-w-full px-4 py-3 text-small">
      {concerns.length === 0 ? (
        <NoConcerns />
      ) : (
        <>
          <h2 className="mb-1 font-medium">{t('attention')}</h2>
          <ConcernList concerns={concerns} mark={key => marked.has(key) && <UnreadDot />} />
        </>
      )}
      <ScreenLink screen="/detail" className="mt-2 block text-accent hover:underline">
        {b('openOverview')}
      </ScreenLink>
    </section>
  )
}

function UnreadDot() {
  const t = useBellText()
  return (
    <span className="mt-1.5 size-2 shrink-0 rounded-full bg-primary">
      <span className="sr-only">{t('unread')}</span>
    </span>
  )
}
