/**
 * An archive as an Iceberg table ({@code docs/iceberg.md}): metadata that names the archive's own
 * segments, for engines that read Iceberg.
 */
@NullMarked
package org.flowmon.deploy.iceberg;

import org.jspecify.annotations.NullMarked;
