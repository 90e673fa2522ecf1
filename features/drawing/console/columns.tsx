import { ImageOff } from 'lucide-react'
import { Suspense, useMemo, useState } from 'react'
import { TimeText } from '#console/app/format/format.tsx'
import { LongText } from '#console/app/list/long-text.tsx'
import { ChannelLink } from '#console/app/list/record-link.tsx'
import { TaskProgress } from '#console/app/list/task-progress.tsx'
import { CopyButton } from '#console/ui/buttons/buttons.tsx'
import { StatusBadge } from '#console/ui/data/badges.tsx'
import { type Column, type RowCard, STATUS_WIDTH } from '#console/ui/data/table/column.ts'
import { lazyPart } from '#console/ui/lazy-part.ts'
import type { Drawing } from '../contract.ts'
import { actionKey, durationSeconds, durationTone, statusBadge, submissionBadge } from './drawing.ts'
import { type ScreenTranslate, useScreenText } from './text.ts'

const MS = 1000

/** The columns of the drawing list. Only administrators see the channel and the submission result. */
export function useDrawingColumns(isAdmin: boolean): ReadonlyArray<Column<Drawing>> {
  const t = useScreenText()
  return useMemo(
    () => drawingColumns(t).filter(({ id }) => isAdmin || !ADMIN_COLUMNS.includes(id)),
    [t, isAdmin],
  )
}

const ADMIN_COLUMNS = ['channel', 'code']

const drawingColumns = (t: ScreenTranslate): ReadonlyArray<Column<Drawing>> => [
  {
    id: 'submitted',
    header: t('submittedAt'),
    isFixed: true,
    cell: drawing => <TimeText unixSeconds={drawing.submit_time / MS} />,
  },
  {
    id: 'status',
    header: t('status'),
    width: STATUS_WIDTH,
    cell: drawing => <StatusCell drawing={drawing} />,
  },
  { id: 'progress', header: t('progress'), cell: drawing => <ProgressCell drawing={drawing} /> },
  { id: 'duration', header: t('duration'), cell: drawing => <DurationCell drawing={drawing} /> },
  { id: 'action', header: t('action'), cell: drawing => <ActionCell drawing={drawing} /> },
  { id: 'picture', header: t('picture'), cell: drawing => <PictureCell drawing={drawing} /> },
  {
    id: 'taskId',
    header: t('taskId'),
    cell: drawing =>
      drawing.mj_id === '' ? null : (
        <span className="flex items-center gap-1">
          <code className="max-w-36 truncate font-mono text-caption">{drawing.mj_id}</code>
          <CopyButton text={drawing.mj_id} label={t('copyId', { id: drawing.mj_id })} />
        </span>
      ),
  },
  {
    id: 'prompt',
    header: t('prompt'),
    cell: drawing => <LongText label={t('prompt')}>{drawing.prompt}</LongText>,
  },
  {
    id: 'promptEn',
    header: t('promptEn'),
    isExtra: true,
    cell: drawing => <LongText label={t('promptEn')}>{drawing.prompt_en}</LongText>,
  },
  {
    id: 'failure',
    header: t('failure'),
    cell: drawing => (
      <LongText label={t('failure')} isProblem>
        {drawing.fail_reason}
      </LongText>
    ),
  },
  { id: 'channel', header: t('channel'), cell: drawing => <ChannelCell drawing={drawing} /> },
  { id: 'code', header: t('code'), cell: drawing => <SubmissionCell drawing={drawing} /> },
]

/** One drawing as a card, for narrow screens. */
export function useDrawingCard(): RowCard<Drawing> {
  const t = useScreenText()
  return useMemo(
    () => ({
      title: drawing => <TimeText unixSeconds={drawing.submit_time / MS} />,
      subtitle: drawing =>
        drawing.fail_reason === '' ? (
          <LongText label={t('prompt')}>{drawing.prompt}</LongText>
        ) : (
          <LongText label={t('failure')} isProblem>
            {drawing.fail_reason}
          </LongText>
        ),
      status: drawing => <StatusCell drawing={drawing} />,
      facts: drawing => [
        { label: t('action'), value: <ActionCell drawing={drawing} /> },
        { label: t('progress'), value: <ProgressCell drawing={drawing} /> },
        { label: t('picture'), value: <PictureCell drawing={drawing} /> },
      ],
    }),
    [t],
  )
}

const pictureDialog = lazyPart(async () => (await import('./picture-dialog.tsx')).PictureDialog)

interface DrawingProps {
  readonly drawing: Drawing
}

function ActionCell({ drawing: { action } }: DrawingProps) {
  const t = useScreenText()
  const word = actionKey(action)
  return (
    <StatusBadge tone="neutral" mark="none">
      {word ? t(word) : action || t('unknown')}
    </StatusBadge>
  )
}

function StatusCell({ drawing }: DrawingProps) {
  const t = useScreenText()
  const [word, tone, mark] = statusBadge(drawing.status)
  return (
    <StatusBadge tone={tone} mark={mark}>
      {t(word)}
    </StatusBadge>
  )
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

function ProgressCell({ drawing: { progress, status } }: DrawingProps) {
  const t = useScreenText()
  return <TaskProgress label={t('progress')} progress={progress} status={status} />
}

function ChannelCell({ drawing: { channel_id: id } }: DrawingProps) {
  const t = useScreenText()
  if (id === 0) return null
  return (
    <ChannelLink id={id} label={t('openChannel', { id })} className="text-accent tabular">
      {`#${id}`}
    </ChannelLink>
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

/** The drawings of this page as a picture grid. A drawing without a picture shows its status. */
export function Gallery({ rows }: { readonly rows: readonly Drawing[] }) {
  return (
    <ul className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-4 2xl:grid-cols-5">
      {rows.map(drawing => (
        <li
          key={drawing.id}
          className="grid content-start gap-2 rounded-card border border-line bg-surface p-2"
        >
          {drawing.image_url === '' ? (
            <div className="flex aspect-square items-center justify-center rounded-control bg-sunken">
              <StatusCell drawing={drawing} />
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
