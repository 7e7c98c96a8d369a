// Names of keys as they stand on keyboards.

const NAMES: Record<string, string> = {
  ArrowRight: '→',
  ArrowLeft: '←',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Delete: 'Del',
}

export function keyText(key: string): string {
  return key.length === 1
    ? key
    : key
        .split('+')
        .map((part) => NAMES[part] ?? part)
        .join('+')
}
