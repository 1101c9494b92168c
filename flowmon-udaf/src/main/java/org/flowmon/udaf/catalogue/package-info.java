/**
 * The class path's functions as the dialect calls them: found by name, bound, evaluated over
 * states, exported.
 */
@NullMarked
package org.flowmon.udaf.catalogue;

import org.jspecify.annotations.NullMarked;
