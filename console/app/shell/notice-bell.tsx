import { useQuery } from '@tanstack/react-query'
import { Bell } from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'
import { lazyPart } from '../../ui/lazy-part.ts'
import { useText } from '../../ui/text.ts'
import { appText } from '../app-text.ts'
import { markNoticeRead, noticeQuery, useIsNewNotice } from '../notice.ts'

const dialog = lazyPart(async () => (await import('./notice-dialog.tsx')).NoticeDialog)

/** The announcement: opens by itself once for every new text, later from the bell. Not there without one. */
export function NoticeBell() {
  const t = useText(appText)
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
