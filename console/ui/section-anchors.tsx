interface SectionAnchorsProps {
  readonly label: string
  readonly sections: ReadonlyArray<{ readonly id: string; readonly title: string }>
}

/** The way to the sections of a long sheet; stays in sight while it scrolls. Nothing is hidden behind it. */
export function SectionAnchors({ label, sections }: SectionAnchorsProps) {
  const show = (id: string) => document.getElementById(id)?.scrollIntoView({ block: 'start' })
  return (
    <nav
      aria-label={label}
      className="sticky -top-5 z-10 -mx-4 -mt-5 mb-5 flex gap-1 overflow-x-auto border-b border-line bg-surface px-3 sm:-mx-6 sm:px-5"
    >
      {sections.map(({ id, title }) => (
        <button
          key={id}
          type="button"
          onClick={() => show(id)}
          className="h-10 shrink-0 rounded-control px-2 text-small whitespace-nowrap text-muted outline-offset-[-2px] hover:text-fg coarse:h-11"
        >
          {title}
        </button>
      ))}
    </nav>
  )
}
