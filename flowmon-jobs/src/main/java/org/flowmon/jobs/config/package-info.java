/** Reads configuration files: YAML whose keys know their places, and errors that name them. */
@NullMarked
package org.flowmon.jobs.config;

import org.jspecify.annotations.NullMarked;
