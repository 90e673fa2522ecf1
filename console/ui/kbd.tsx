/** Keys of the keyboard, parted by spaces: `g t`. */
export function Kbd({ keys }: { readonly keys: string }) {
  return (
    <span className="inline-flex gap-1">
      {keys.split(' ').map(key => (
        <kbd
          key={key}
          className="inline-flex h-5 min-w-5 items-center justify-center rounded-[4px] border border-line bg-sunken px-1 font-sans text-caption text-muted"
        >
          {key}
        </kbd>
      ))}
    </span>
  )
}
