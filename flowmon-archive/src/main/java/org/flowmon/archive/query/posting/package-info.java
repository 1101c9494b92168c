/**
 * Finding rows of a segment by its sidecar: ids of addresses in sorted dictionaries, and the
 * posting lists of these.
 */
package org.flowmon.archive.query.posting;
