/** What the build puts in place of the globals of these names in the SDK's code. */
export { HttpHeaders as Headers } from "./http-headers.ts";
