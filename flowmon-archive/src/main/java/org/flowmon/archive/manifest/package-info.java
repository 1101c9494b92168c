/**
 * The commits of an archive: the state after them, the rules of a commit, and their files
 * (docs/format/manifest.md).
 */
package org.flowmon.archive.manifest;
