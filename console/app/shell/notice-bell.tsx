import { queryOptions, useQuery } from '@tanstack/react-query'
import { Bell } from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import { getNotice } from '#contract/status.ts'
import { IconButton } from '../../ui/buttons/button.tsx'
import { lazyPart } from '../../ui/lazy-part.ts'
import { createStore, useStore } from '../../ui/store.ts'
import { call } from '../api/call.ts'
import { useAppText } from '../app-text.ts'
import { readStored, writeStored } from '../preferences/local-store.ts'

const dialog = lazyPart(async () => (await import('./notice-dialog.tsx')).NoticeDialog)

/** The notice. New text opens once by itself, later from the bell. Hidden when there is no notice. */
export function NoticeBell() {
  const t = useAppText()
  const { data: notice = '' } = useQuery(noticeQuery)
  const isNew = useIsNewNotice(notice)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (!isNew) return
    setOpen(true)
    markNoticeRead(notice)
  }, [isNew, notice])
  if (notice === '') return null
  return (
    <>
      <IconButton label={t('announcement')} icon={Bell} onClick={() => setOpen(true)} />
      <Suspense fallback={null}>
        {isOpen && <dialog.Part notice={notice} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  )
}

const STALE_AFTER_MS = 10 * 60_000

const noticeQuery = queryOptions({
  queryKey: ['notice'],
  queryFn: ({ signal }) => call(getNotice, { signal }),
  staleTime: STALE_AFTER_MS,
})

const readNotice = createStore(readStored('notice') ?? '')

/** Whether this notice has not been shown yet. */
const useIsNewNotice = (notice: string): boolean => useStore(readNotice) !== notice && notice !== ''

function markNoticeRead(notice: string): void {
  writeStored('notice', notice)
  readNotice.set(notice)
}
