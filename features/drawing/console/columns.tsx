import { ImageOff } from 'lucide-react'
import { Suspense, useMemo, useState } from 'react'
import { LongText } from '#console/app/list/long-text.tsx'
import { type TaskColumns, taskCard, taskColumns } from '#console/app/task-list/task-columns.tsx'
import { CopyButton } from '#console/ui/buttons/buttons.tsx'
import { StatusBadge } from '#console/ui/data/badges.tsx'
import type { Column } from '#console/ui/data/table/column.ts'
import { lazyPart } from '#console/ui/lazy-part.ts'
import type { Drawing } from '../contract.ts'
import { actionKey, durationSeconds, durationTone, statusBadge, submissionBadge } from './drawing.ts'
import { type ScreenTranslate, useScreenText } from './text.ts'

const MS = 1000
const ADMIN_COLUMNS = ['channel', 'code']

/** The columns and the card of the drawing list. Only administrators see the channel and the submission result. */
export function useDrawingTable(isAdmin: boolean) {
  const t = useScreenText()
  return useMemo(() => {
    const shared = sharedColumns(t)
    const prompt: Column<Drawing> = {
      id: 'prompt',
      header: t('prompt'),
      cell: drawing => <LongText label={t('prompt')}>{drawing.prompt}</LongText>,
    }
    const picture: Column<Drawing> = {
      id: 'picture',
      header: t('picture'),
      cell: drawing => <PictureCell drawing={drawing} />,
    }
    return {
      columns: drawingColumns(t, { ...shared, prompt, picture }).filter(
        ({ id }) => isAdmin || !ADMIN_COLUMNS.includes(id),
      ),
      status: shared.status,
      card: taskCard(shared, { subtitle: prompt.cell, lastFact: picture }),
    }
  }, [t, isAdmin])
}

const sharedColumns = (t: ScreenTranslate) =>
  taskColumns<Drawing>(t, {
    submittedAtSeconds: ({ submit_time }) => submit_time / MS,
    statusBadge({ status }) {
      const [word, tone, mark] = statusBadge(status)
      return [t(word), tone, mark]
    },
    actionWord({ action }) {
      const word = actionKey(action)
      return word ? t(word) : action || t('unknown')
    },
  })

type OwnColumns = Readonly<Record<'prompt' | 'picture', Column<Drawing>>>

const drawingColumns = (
  t: ScreenTranslate,
  {
    submitted,
    status,
    progress,
    action,
    picture,
    prompt,
    failure,
    channel,
  }: TaskColumns<Drawing> & OwnColumns,
): ReadonlyArray<Column<Drawing>> => [
  submitted,
  status,
  progress,
  { id: 'duration', header: t('duration'), cell: drawing => <DurationCell drawing={drawing} /> },
  action,
  picture,
  {
    id: 'taskId',
    isWide: true,
    header: t('taskId'),
    cell: drawing =>
      drawing.mj_id === '' ? null : (
        <span className="flex items-center gap-1">
          <code className="max-w-36 truncate font-mono text-caption">{drawing.mj_id}</code>
          <CopyButton text={drawing.mj_id} label={t('copyId', { id: drawing.mj_id })} />
        </span>
      ),
  },
  prompt,
  {
    id: 'promptEn',
    header: t('promptEn'),
    isExtra: true,
    cell: drawing => <LongText label={t('promptEn')}>{drawing.prompt_en}</LongText>,
  },
  failure,
  channel,
  { id: 'code', header: t('code'), cell: drawing => <SubmissionCell drawing={drawing} /> },
]

const pictureDialog = lazyPart(async () => (await import('./picture-dialog.tsx')).PictureDialog)

interface DrawingProps {
  readonly drawing: Drawing
}

function SubmissionCell({ drawing }: DrawingProps) {
  const t = useScreenText()
  const [word, tone, mark] = submissionBadge(drawing.code)
  return (
    <StatusBadge tone={tone} mark={mark}>
      {t(word)}
    </StatusBadge>
  )
}

function DurationCell({ drawing }: DrawingProps) {
  const t = useScreenText()
  const seconds = durationSeconds(drawing)
  if (seconds === undefined) return null
  return (
    <StatusBadge tone={durationTone(seconds)} mark="none">
      {t('seconds', { count: seconds })}
    </StatusBadge>
  )
}

/** Thumbnail that opens the picture. */
function PictureCell({ drawing, size = 'h-10' }: DrawingProps & { readonly size?: string }) {
  const t = useScreenText()
  const [isOpen, setOpen] = useState(false)
  const [failedUrl, setFailedUrl] = useState('')
  const { image_url: url, prompt } = drawing
  const hasFailed = failedUrl === url
  if (url === '') return <span className="text-subtle">{t('noPicture')}</span>
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-label={`${t(hasFailed ? 'pictureNotShown' : 'showPicture')} · ${prompt || drawing.mj_id}`}
        onPointerEnter={pictureDialog.preload}
        onFocus={pictureDialog.preload}
        onClick={() => setOpen(true)}
        className={`${size} block overflow-hidden rounded-control border border-line bg-sunken`}
      >
        {hasFailed ? (
          <span className="grid size-full min-w-10 place-items-center text-subtle">
            <ImageOff size={18} aria-hidden />
          </span>
        ) : (
          <img
            src={url}
            alt=""
            loading="lazy"
            onError={() => setFailedUrl(url)}
            className="size-full object-cover"
          />
        )}
      </button>
      <Suspense fallback={null}>
        {isOpen && <pictureDialog.Part url={url} prompt={prompt} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  )
}

interface GalleryProps {
  readonly rows: readonly Drawing[]
  readonly status: Column<Drawing>
}

/** The drawings of this page as a picture grid. A drawing without a picture shows its status. */
export function Gallery({ rows, status }: GalleryProps) {
  return (
    <ul className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-4 2xl:grid-cols-5">
      {rows.map(drawing => (
        <li
          key={drawing.id}
          className="grid content-start gap-2 rounded-card border border-line bg-surface p-2"
        >
          {drawing.image_url === '' ? (
            <div className="flex aspect-square items-center justify-center rounded-control bg-sunken">
              {status.cell(drawing)}
            </div>
          ) : (
            <PictureCell drawing={drawing} size="aspect-square w-full" />
          )}
          <p className="line-clamp-2 text-caption break-words text-muted">{drawing.prompt}</p>
        </li>
      ))}
    </ul>
  )
}
