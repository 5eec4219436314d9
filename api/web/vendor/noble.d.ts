export function sha256(data: Uint8Array): Uint8Array;
export function hmac(hash: typeof sha256, key: Uint8Array, data: Uint8Array): Uint8Array;
export function verify(signature: Uint8Array, message: Uint8Array, key: Uint8Array): boolean;
