import { ArrowUp, ImagePlus, Square, X } from 'lucide-react'
import { type ChangeEvent, type ClipboardEvent, type KeyboardEvent, useRef, useState } from 'react'
import { IconButton } from '#console/ui/buttons/buttons.tsx'
import {
  PICTURE_BYTES_MAX,
  PICTURE_TYPES,
  PICTURES_MAX,
  type Picture,
  type PictureProblem,
  readPictures,
} from './pictures.ts'
import { useModelsWithoutVision } from './queries.ts'
import { useScreenText } from './text.ts'

const MEGABYTE = 1_000_000

export interface AttachedPictures {
  readonly pictures: readonly Picture[]
  readonly problems: readonly PictureProblem[]
  readonly attach: (files: Iterable<File> | null) => void
  readonly remove: (picture: Picture) => void
  readonly clear: () => void
}

/** The pictures of the message that is being written. */
export function useAttachedPictures(): AttachedPictures {
  const [pictures, setPictures] = useState<readonly Picture[]>([])
  const [problems, setProblems] = useState<readonly PictureProblem[]>([])
  const attach = async (files: readonly File[]) => {
    const found = await readPictures(files, pictures.length)
    setPictures(before => [...before, ...found.pictures].slice(0, PICTURES_MAX))
    setProblems(found.problems)
  }
  return {
    pictures,
    problems,
    attach: files => void attach([...(files ?? [])]),
    remove: picture => {
      setPictures(before => before.filter(other => other !== picture))
      setProblems([])
    },
    clear: () => {
      setPictures([])
      setProblems([])
    },
  }
}

interface ComposerProps {
  /** The models that receive the message. */
  readonly models: readonly string[]
  /** A reply is streaming. */
  readonly isBusy: boolean
  readonly attached: AttachedPictures
  readonly stopLabel: string
  readonly onSend: (content: string, pictures: readonly Picture[]) => void
  readonly onStop: () => void
}

/** The message input. Enter sends, except during an IME composition; Escape stops a streaming reply. */
export function Composer({ models, isBusy, attached, stopLabel, onSend, onStop }: ComposerProps) {
  const t = useScreenText()
  const [typed, setTyped] = useState('')
  const { pictures } = attached
  const isEmpty = typed.trim() === '' && pictures.length === 0
  const send = () => {
    if (isBusy || isEmpty) return
    onSend(typed.trim(), pictures)
    setTyped('')
    attached.clear()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && isBusy) onStop()
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return
    event.preventDefault()
    attached.attach(event.clipboardData.files)
  }
  return (
    <div className="grid grid-cols-1 gap-2 rounded-dialog border border-line-strong bg-surface p-2 focus-within:border-primary">
      <Attachments attached={attached} models={models} />
      <div className="flex items-end gap-2">
        <AttachButton onAttach={attached.attach} />
        <textarea
          rows={1}
          aria-label={t('message')}
          placeholder={t('placeholder')}
          data-main-search
          autoComplete="off"
          value={typed}
          onChange={event => setTyped(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          className="control-text field-sizing-content max-h-50 min-h-9 min-w-0 flex-1 resize-none bg-transparent px-2 py-2 outline-none coarse:min-h-11"
        />
        {isBusy ? (
          <IconButton label={stopLabel} icon={Square} variant="default" shortcut="Esc" onClick={onStop} />
        ) : (
          <IconButton
            label={t('send')}
            icon={ArrowUp}
            variant="primary"
            aria-disabled={isEmpty}
            onClick={send}
          />
        )}
      </div>
    </div>
  )
}

function AttachButton({ onAttach }: { readonly onAttach: AttachedPictures['attach'] }) {
  const t = useScreenText()
  const input = useRef<HTMLInputElement>(null)
  const attach = (event: ChangeEvent<HTMLInputElement>) => {
    onAttach(event.target.files)
    // The same file can be chosen again after it was removed.
    event.target.value = ''
  }
  return (
    <>
      <input ref={input} type="file" multiple hidden accept={PICTURE_TYPES.join()} onChange={attach} />
      <IconButton label={t('attach')} icon={ImagePlus} onClick={() => input.current?.click()} />
    </>
  )
}

interface AttachmentsProps {
  readonly attached: AttachedPictures
  readonly models: readonly string[]
}

/** The attached pictures, why a file is not among them, and which models do not read them. */
function Attachments({ attached: { pictures, problems, remove }, models }: AttachmentsProps) {
  const t = useScreenText()
  const unable = useModelsWithoutVision(models)
  return (
    <>
      {pictures.length > 0 && (
        <ul aria-label={t('pictures')} className="flex flex-wrap gap-2 px-1 pt-1">
          {pictures.map((picture, index) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: the same picture can be attached twice
              key={index}
              className="relative"
            >
              <img
                src={picture.url}
                alt={picture.name}
                className="size-16 rounded-control border border-line object-cover"
              />
              <IconButton
                label={t('detach', { name: picture.name })}
                icon={X}
                size="small"
                variant="default"
                className="absolute -top-2 -right-2 size-6! rounded-full!"
                onClick={() => remove(picture)}
              />
            </li>
          ))}
        </ul>
      )}
      <div role="status" className="px-2 text-small text-warning empty:hidden">
        {pictures.length > 0 &&
          unable.map(model => (
            <p key={model} className="[overflow-wrap:anywhere]">
              {t('withoutVision', { model })}
            </p>
          ))}
      </div>
      <div role="alert" className="px-2 text-small text-danger empty:hidden">
        {problems.map(({ kind, name }, index) => (
          <p
            // biome-ignore lint/suspicious/noArrayIndexKey: two files can have the same name and problem
            key={index}
            className="[overflow-wrap:anywhere]"
          >
            {t(PROBLEM_TEXTS[kind], {
              name,
              count: kind === 'count' ? PICTURES_MAX : PICTURE_BYTES_MAX / MEGABYTE,
            })}
          </p>
        ))}
      </div>
    </>
  )
}

const PROBLEM_TEXTS = {
  type: 'pictureType',
  size: 'pictureSize',
  count: 'pictureCount',
  unreadable: 'pictureUnreadable',
} as const satisfies Record<PictureProblem['kind'], string>
