/** The archives as tables of a read-only Iceberg catalog ({@code docs/iceberg.md}). */
@NullMarked
package org.flowmon.deploy.serve.catalog;

import org.jspecify.annotations.NullMarked;
