const BROWSERS = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const

/** Phones call themselves by the name of the desktop system, too. */
const SYSTEMS = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const

type Names = ReadonlyArray<readonly [pattern: RegExp, name: string]>
const find = (names: Names, agent: string): string | undefined =>
  names.find(([pattern]) => pattern.test(agent))?.[1]

export interface DeviceName {
  readonly browser: string
  readonly system: string
}

/** Browser and system of a user agent; undefined for a program or an unknown browser. */
export function readDeviceName(agent: string): DeviceName | undefined {
  const browser = find(BROWSERS, agent)
  const system = find(SYSTEMS, agent)
  return browser && system ? { browser, system } : undefined
}
