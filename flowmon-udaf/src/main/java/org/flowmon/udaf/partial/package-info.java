/**
 * Groups as bytes between tasks: partial groups are packed, opened and merged into tables of groups
 * (docs/format/partial-groups.md).
 */
package org.flowmon.udaf.partial;
