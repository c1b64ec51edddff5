/** Whether a push subscription was made with this key (base64url). */
export function isSameKey(bytes: ArrayBuffer | null, key: string): boolean {
  if (bytes === null) return false
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') === key.replace(/=+$/, '')
}
